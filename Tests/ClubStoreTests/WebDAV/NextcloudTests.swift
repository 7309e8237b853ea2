import Foundation
import ByteClubPictures
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Nextcloud's extensions to WebDAV.
@Suite struct NextcloudTests {
    private static let base = "/cloud/remote.php/dav/files/ann/Club"

    private func standIn(
        moveAnswer: String? = nil,
        _ interception: @escaping @Sendable (LoopbackRequest) -> [LoopbackStep]? = { _ in nil }
    ) throws -> WebDAVStandIn {
        try WebDAVStandIn(
            .init(
                moveAnswer: moveAnswer, base: Self.base, interception: { interception($0) }),
            credentials: .password(user: "ann", password: "app password")
        ) { $0.limits.chunkByteCount = 10 }
    }

    private static func parts(_ standIn: WebDAVStandIn) -> [String] {
        standIn.requests.filter { $0.method == "PUT" && $0.target.contains("/uploads/") }
            .map { String($0.target.split(separator: "/").last ?? "") }
    }

    @Test func aLargeFileTravelsInParts() async throws {
        let standIn = try standIn()
        let folder = try TemporaryFolder()
        let file = try folder.write(data("0123456789abcdefghijklm"), to: "f")
        let uploaded = try await Recorder.upload(file, to: path("/big.jpg"), in: standIn.store)
        #expect(uploaded.byteCount == 23)
        #expect(standIn.contents(of: "/big.jpg") == "0123456789abcdefghijklm")
        #expect(Self.parts(standIn) == ["00001", "00002", "00003"])
        let destination = standIn.server.url(Self.base + "/big.jpg").absoluteString
        let sent = standIn.requests.filter {
            $0.target.contains("/cloud/remote.php/dav/uploads/ann/")
        }
        for request in sent where request.method != "PROPFIND" {
            #expect(request["Destination"] == destination)
            #expect(request["OC-Total-Length"] == "23")
        }
        let move = try #require(sent.last { $0.method == "MOVE" })
        #expect(move.target.hasSuffix("/.file"))
        #expect(move["Overwrite"] == "F")
        #expect(move["X-OC-Mtime"].flatMap { Int($0) } != nil)
    }

    @Test func partsThatHaveArrivedAreNotSentAgain() async throws {
        let isBroken = Mutex(true)
        let standIn = try standIn { request in
            request.target.hasSuffix("/00002") && isBroken.withLock { $0 }
                ? [.answer("500 Internal Server Error")] : nil
        }
        let folder = try TemporaryFolder()
        let file = try folder.write(data("0123456789abcdefghijklm"), to: "f")
        await expectFailure(.serverError) {
            _ = try await Recorder.upload(file, to: path("/big.jpg"), in: standIn.store)
        }
        isBroken.withLock { $0 = false }
        let before = Self.parts(standIn).count
        // Another run of the program, and another file with the same bytes.
        let next = try WebDAVStore(standIn.store.configuration)
        let copy = try folder.write(data("0123456789abcdefghijklm"), to: "g")
        _ = try await Recorder.upload(copy, to: path("/big.jpg"), in: next)
        #expect(Self.parts(standIn)[before...] == ["00002", "00003"])
        #expect(standIn.contents(of: "/big.jpg") == "0123456789abcdefghijklm")
    }

    @Test func partsAreAsLargeAsTheLineIsFastAndAnotherRunGoesOnWhateverTheirSizes() async throws {
        let isBroken = Mutex(true)
        let standIn = try standIn { request in
            request.target.hasSuffix("/00003") && isBroken.withLock { $0 }
                ? [.answer("500 Internal Server Error")] : nil
        }
        var configuration = standIn.store.configuration
        configuration.limits.partByteCounts = 2...8
        let folder = try TemporaryFolder()
        let text = "0123456789abcdefghijklm"
        let file = try folder.write(data(text), to: "f")
        await expectFailure(.serverError) {
            _ = try await Recorder.upload(
                file, to: path("/big.jpg"), in: try WebDAVStore(configuration))
        }
        isBroken.withLock { $0 = false }
        let before = standIn.requests.count
        // Of one that had more, and was cut in the middle of them.
        let next = try WebDAVStore(configuration)
        _ = try await Recorder.upload(file, to: path("/big.jpg"), in: next)
        #expect(standIn.contents(of: "/big.jpg") == text)
        func lengths(_ requests: ArraySlice<LoopbackRequest>) -> [Int] {
            requests.filter { $0.method == "PUT" && $0.target.contains("/uploads/") }
                .map(\.body.count)
        }
        // The second is as large as the first was quick; see ChunkPacingTests.
        let stored = lengths(standIn.requests[..<before]).prefix(2)
        #expect(stored.first == 2 && stored.allSatisfy { (2...8).contains($0) })
        let rest = lengths(standIn.requests[before...])
        #expect(rest.first == 2 && rest.allSatisfy { (1...8).contains($0) })
        let count: Int = (stored + rest).reduce(0, +)
        #expect(count == text.utf8.count)
    }

    @Test func aConflictTakesThePartsBack() async throws {
        let standIn = try standIn()
        let folder = try TemporaryFolder()
        let file = try folder.write(data("0123456789abcdefghijklm"), to: "f")
        let intrusion = "theirs"
        let standInBox = Mutex<WebDAVStandIn?>(standIn)
        standIn.before(8) { _ in
            standInBox.withLock { $0?.plant(intrusion, at: "/big.jpg") }
        }
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await Recorder.upload(file, to: path("/big.jpg"), in: standIn.store)
        }
        #expect(standIn.contents(of: "/big.jpg") == intrusion)
        #expect(standIn.requests.last { $0.target.contains("/uploads/") }?.method == "DELETE")
        standInBox.withLock { $0 = nil }
    }

    @Test(arguments: ["423 Locked", "502 Bad Gateway", "504 Gateway Timeout"])
    func partsThatArePutTogetherBehindAGatewaysBackAreWaitedFor(_ answer: String) async throws {
        let looks = Mutex(0)
        let standIn = try standIn(moveAnswer: answer) { request in
            guard request.method == "PROPFIND", request.target.contains("/uploads/") else {
                return nil
            }
            // Before, there are no parts; afterwards they still exist at first.
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            return look == 2 ? .multistatus("") : nil
        }
        let folder = try TemporaryFolder()
        let file = try folder.write(data("0123456789abcdefghijklm"), to: "f")
        let uploaded = try await Recorder.upload(file, to: path("/big.jpg"), in: standIn.store)
        #expect(uploaded.byteCount == 23)
        #expect(standIn.contents(of: "/big.jpg") == "0123456789abcdefghijklm")
        #expect(standIn.waits.contains(.seconds(2)))
    }

    @Test func partsThatAreGoneAreNoUpload() async throws {
        let standIn = try standIn { request in
            request.method == "MOVE" ? [.answer("404 Not Found")] : nil
        }
        let folder = try TemporaryFolder()
        let file = try folder.write(data("0123456789abcdefghijklm"), to: "f")
        _ = await failure {
            _ = try await Recorder.upload(file, to: path("/big.jpg"), in: standIn.store)
        }
        #expect(standIn.contents(of: "/big.jpg") == nil)
    }

    @Test(arguments: [
        [LoopbackStep.answer("404 Not Found")], [.answer("403 Forbidden")],
        [.answer("303 See Other", ["Location: /core/img/filetypes/image.svg"])],
        [.answer("200 OK", ["Content-Type: image/png"], body: "\u{89}PNG")],
    ])
    func whereThereIsNoPreviewOneIsMade(_ answer: [LoopbackStep]) async throws {
        let standIn = try standIn { request in
            request.target.hasPrefix("/cloud/index.php/") || request.target.hasPrefix("/core/")
                ? answer : nil
        }
        standIn.plant(Photos.corners(width: 320, height: 200), at: "/a.jpg")
        for await (_, result) in standIn.store.thumbnails(of: [try path("/a.jpg")], size: .w64h64) {
            #expect(try JPEGHeader.read(result.get()).size == PixelSize(width: 64, height: 40))
        }
    }

    @Test func previewsAreTheServers() async throws {
        let picture = "\u{FF}".unicodeScalars.map { UInt8($0.value) } + [0xD8, 0xFF, 0xD9]
        let standIn = try standIn { request in
            request.target.hasPrefix("/cloud/index.php/core/preview?")
                ? [.answer("200 OK", ["Content-Type: image/jpeg"], body: picture)] : nil
        }
        standIn.plant("a picture", at: "/a.jpg")
        _ = try await standIn.store.list(.root)
        for await (_, result) in standIn.store.thumbnails(
            of: [try path("/a.jpg")], size: .w256h256)
        {
            #expect(try result.get() == Data(picture))
        }
        #expect(
            standIn.requests.last?.target
                == "/cloud/index.php/core/preview?fileId=1&x=256&y=256&a=1&forceIcon=0&mode=fill")
        #expect(standIn.requests.count == 2)
    }

    /// As versions from 28 on say it, and as earlier ones did.
    @Test(arguments: [
        "<n:metadata-photos-size><width>16384</width><height>8192</height></n:metadata-photos-size>",
        "<n:metadata-photos-size><n:width>16384</n:width><n:height>8192</n:height></n:metadata-photos-size>",
        #"<n:file-metadata-size>{"width":16384,"height":8192}</n:file-metadata-size>"#,
    ])
    func previewsSayHowLargeThePhotoIs(property: String) async throws {
        let standIn = try WebDAVStandIn(
            .init(
                properties: property, base: Self.base,
                interception: { request in
                    request.target.contains("/core/preview?")
                        ? [.answer("200 OK", body: [0xFF, 0xD8, 0xFF, 0xD9])] : nil
                }), credentials: .password(user: "ann", password: "app password"))
        standIn.plant("a picture", at: "/a.jpg")
        _ = try await standIn.store.list(.root)
        for await (_, result) in standIn.store.thumbnails(
            of: [try path("/a.jpg")], size: .w256h256)
        {
            let size = FullSizeComment(of: try result.get())
            #expect(size == FullSizeComment(width: 16384, height: 8192))
        }
        #expect(standIn.requests.count == 2)
    }

    @Test func changesAreSeenByOneTag() async throws {
        let standIn = try standIn()
        let cursor = try await standIn.store.list(.root, recursive: true).cursor
        standIn.plant("new", at: "/new.txt")
        #expect(try await standIn.store.waitForChanges(after: cursor, atMost: longWait))
        #expect(
            try await standIn.store.changes(since: cursor).files.map(\.name) == ["new.txt"])
    }
}
