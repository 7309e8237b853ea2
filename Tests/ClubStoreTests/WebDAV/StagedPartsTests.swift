import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Uploads to plain WebDAV servers that another run of the program resumes, if the server supports it.
@MainActor @Suite struct StagedPartsTests {
    private static let text = "0123456789abcdefghijklm"
    private let folder: TemporaryFolder
    private let source: URL
    private let record: URL

    init() throws {
        folder = try TemporaryFolder()
        source = try folder.write(data(Self.text), to: "f")
        record = folder.url.appending(path: "f.upload")
    }

    private func standIn(_ ranges: WebDAVStandIn.Manners.Ranges) throws -> WebDAVStandIn {
        try WebDAVStandIn(.init(ranges: ranges)) {
            $0.limits.directByteCount = 8
            $0.limits.chunkByteCount = 10
        }
    }

    /// An upload that fails at one part, after this many successful ones.
    private func breakOff(
        after count: Int, keeping byteCount: Int = 0, in standIn: WebDAVStandIn
    ) async throws {
        // The server is probed before.
        _ = try await standIn.store.put(data("x"), at: path("/first"), mode: .add)
        _ = try await standIn.store.probeRanges(during: .upload)
        let broken = WebDAVStandIn.BrokenPut.refusing("408 Request Timeout", keeping: byteCount)
        if count == 1 {
            standIn.breakPuts(nil, broken)
        } else {
            standIn.breakPuts(nil, nil, broken)
        }
        await expectFailure(.timedOut) {
            _ = try await Recorder.upload(
                source, to: path("/big"), record: record, in: standIn.store)
        }
        #expect(standIn.contents(of: "/big") == nil)
    }

    /// The ranges and lengths that another run of the program sends.
    private func proceed(_ standIn: WebDAVStandIn) async throws -> [String] {
        let next = try WebDAVStore(standIn.store.configuration)
        _ = try await next.put(data("x"), at: path("/second"), mode: .add)
        _ = try await next.probeRanges(during: .upload)
        let before = standIn.requests.count
        _ = try await Recorder.upload(source, to: path("/big"), record: record, in: next)
        #expect(try !folder.names.contains("f.upload"))
        return standIn.requests[before...].filter { $0.method == "PUT" }.map { request in
            request["Content-Range"] ?? "\(request.body.count)"
        }
    }

    @Test func partsThatHaveArrivedAreNotSentAgain() async throws {
        let standIn = try standIn(.placed)
        try await breakOff(after: 1, keeping: 4, in: standIn)
        #expect(try await proceed(standIn) == ["bytes 10-19/23", "bytes 20-22/23"])
        #expect(standIn.contents(of: "/big") == Self.text)
        #expect(standIn.ownNames.isEmpty)
    }

    @Test func whatTheServerHasLostIsSentAgain() async throws {
        let standIn = try standIn(.placed)
        try await breakOff(after: 2, in: standIn)
        let name = try #require(standIn.ownNames.first)
        standIn.plant("0123", at: "/" + name)
        #expect(try await proceed(standIn) == ["bytes 4-13/23", "bytes 14-22/23"])
        #expect(standIn.contents(of: "/big") == Self.text)
    }

    /// As after a power cut of the server: the length is there, and not the bytes.
    @Test func partsThatTheServerHasChangedDoNotGetToThePath() async throws {
        let standIn = try standIn(.placed)
        try await breakOff(after: 2, in: standIn)
        let name = try #require(standIn.ownNames.first)
        standIn.plant("01234ZZZZZ0123456789", at: "/" + name)
        await expectFailure(.damaged) { _ = try await proceed(standIn) }
        #expect(standIn.contents(of: "/big") == nil)
        #expect(standIn.ownNames.isEmpty)
        #expect(try await proceed(standIn).count == 3)
        #expect(standIn.contents(of: "/big") == Self.text)
    }

    @Test func aPartialFileThatIsGoneIsBegunAnew() async throws {
        let standIn = try standIn(.placed)
        try await breakOff(after: 2, in: standIn)
        standIn.ownNames.forEach { standIn.uproot("/" + $0) }
        #expect(try await proceed(standIn) == ["10", "bytes 10-19/23", "bytes 20-22/23"])
        #expect(standIn.contents(of: "/big") == Self.text)
    }

    @Test func oneThatIsBegunAnewAndBreaksOffAtOnceLeavesNothing() async throws {
        let standIn = try standIn(.placed)
        try await breakOff(after: 2, in: standIn)
        standIn.ownNames.forEach { standIn.uproot("/" + $0) }
        standIn.breakPuts(.refusing("408 Request Timeout", keeping: 3))
        await expectFailure(.timedOut) {
            _ = try await Recorder.upload(
                source, to: path("/big"), record: record, in: standIn.store)
        }
        #expect(standIn.ownNames.isEmpty)
        #expect(try await proceed(standIn) == ["10", "bytes 10-19/23", "bytes 20-22/23"])
    }

    @Test func aSourceThatHasChangedIsSentFromItsBeginning() async throws {
        let standIn = try standIn(.placed)
        try await breakOff(after: 2, in: standIn)
        try data(String(Self.text.reversed())).write(to: source)
        #expect(try await proceed(standIn).count == 3)
        #expect(standIn.contents(of: "/big") == String(Self.text.reversed()))
    }

    @Test(arguments: [WebDAVStandIn.Manners.Ranges.refused, .ignored])
    func whereRangesAreNotPlacedItGoesInOnePiece(
        _ ranges: WebDAVStandIn.Manners.Ranges
    ) async throws {
        let standIn = try standIn(ranges)
        #expect(try await proceed(standIn) == ["23"])
        #expect(standIn.contents(of: "/big") == Self.text)
        #expect(standIn.ownNames.isEmpty)
    }

    @Test func partsThatDoNotMakeTheWholeAreNoFile() async throws {
        let standIn = try standIn(.placed)
        try await breakOff(after: 2, in: standIn)
        let name = try #require(standIn.ownNames.first)
        // Only our files have this name; the complete file is checked all the same.
        standIn.plant(Self.text + "and more", at: "/" + name)
        let next = try WebDAVStore(standIn.store.configuration)
        await expectFailure(.damaged) {
            _ = try await Recorder.upload(source, to: path("/big"), record: record, in: next)
        }
        #expect(standIn.contents(of: "/big") == nil)
        #expect(standIn.ownNames.isEmpty)
        #expect(try folder.names == ["f"])
    }

    @Test(.enabled(if: ApacheServer.isInstalled, "apache2 is not installed"))
    func apacheGoesOn() async throws {
        let club = try ApacheServer.shared.makeClub()
        var configuration = WebDAVStore.Configuration(baseURL: club.url, credentials: .none)
        configuration.limits.chunkByteCount = 1 << 20
        let content = Data((0..<3_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try content.write(to: source)
        let first = try WebDAVStore(configuration)
        let recorder = Recorder()
        let transfer = first.upload(
            fileAt: source, to: try path("/big"), mode: .add, record: record, delegate: recorder)
        recorder.onProgress = { transfer in
            if transfer.byteCount > 2_300_000 { transfer.cancel() }
        }
        transfer.resume()
        await recorder.waitForEnd()
        let kept = try String(contentsOf: record, encoding: .utf8)
        #expect(kept.contains("2097152"))
        let second = try WebDAVStore(configuration)
        var firstProgress: Int64?
        let again = Recorder()
        again.onProgress = {
            firstProgress = firstProgress ?? ($0.byteCount > 0 ? $0.byteCount : nil)
        }
        let rest = second.upload(
            fileAt: source, to: try path("/big"), mode: .add, record: record, delegate: again)
        rest.resume()
        await again.waitForEnd()
        #expect(try again.results[0].get().byteCount == 3_500_000)
        #expect((firstProgress ?? 0) > 2_097_152)
        #expect(try Data(contentsOf: club.folder.appending(path: "big")) == content)
        // Apache removes the part that was cut off when it notices.
        let left = { try FileManager.default.contentsOfDirectory(atPath: club.folder.path) }
        do {
            try await eventually("nothing else is left") { try left() == ["big"] }
        } catch {
            Issue.record("\(error): \(try left())")
        }
    }
}

extension WebDAVStandIn {
    /// The temporary files on the server.
    fileprivate var ownNames: [String] {
        state.withLock { state in
            state.nodes.keys.compactMap { path in
                path.split(separator: "/").last.map(String.init).flatMap {
                    TemporaryName.isOne($0) ? $0 : nil
                }
            }
        }
    }
}
