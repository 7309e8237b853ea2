import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// The table "Requests per action" in `docs/Clubs.md`.
@Suite struct RequestCountTests {
    private static let entriesPerPage = 2000

    /// One page of a listing with this many files.
    private static func page(_ number: Int, of count: Int) -> [LoopbackStep] {
        let files = (0..<count).map { index in
            let name = "note-\(number)-\(index).txt"
            return """
                {".tag":"file","name":"\(name)","path_lower":"/\(name)","path_display":"/\(name)",\
                "id":"id:\(number)-\(index)","client_modified":"2020-09-13T12:26:40Z",\
                "server_modified":"2020-09-13T12:26:40Z","rev":"0123456789abc","size":5,\
                "content_hash":"\(String(repeating: "0", count: 64))"}
                """
        }
        return .json(
            #"{"entries":[\#(files.joined(separator: ","))],"cursor":"c\#(number)","has_more":\#(number < 4)}"#
        )
    }

    @Test func aFirstListingOfTenThousandTakesAsManyRequestsAsPages() async throws {
        let dropbox = try ScriptedDropbox((0..<5).map { Self.page($0, of: Self.entriesPerPage) })
        let listing = try await dropbox.store.list(.root)
        #expect(listing.files.count == 10_000)
        #expect(
            dropbox.routes == ["files/list_folder"]
                + Array(repeating: "files/list_folder/continue", count: 4))
    }

    @Test func dropboxTakesOneRequestForMostThings() async throws {
        let bytes = data("x")
        let file = FileMetadata.named("/a", data: bytes)
        let isDeleted = Mutex(false)
        let dropbox = try ScriptedDropbox { request in
            switch request.target {
            case "/2/files/get_metadata" where isDeleted.withLock { $0 }:
                .refusal(#"{".tag":"path","path":{".tag":"not_found"}}"#)
            case "/2/files/download": .bytes(bytes, of: file)
            case "/2/files/upload": .json(file)
            case "/2/files/get_metadata": .json(Metadata.file(file))
            case "/2/files/move_v2": .json(RelocationResult(metadata: .file(file)))
            case "/2/files/delete_v2": .json(DeleteResult(metadata: .file(file)))
            case "/2/files/list_folder/longpoll": .json(#"{"changes":false}"#)
            case "/2/files/get_thumbnail_batch":
                .json(
                    GetThumbnailBatchResult(
                        entries: Array(repeating: .failure(.conversionError), count: 25)))
            default: .json(#"{"entries":[],"cursor":"c","has_more":false}"#)
            }
        }
        let store = dropbox.store
        let calls = Calls { dropbox.routes }
        let folder = try TemporaryFolder()
        let source = try folder.write(bytes, to: "f")
        let cursor = try await store.list(.root).cursor
        #expect(calls.new() == ["files/list_folder"])
        _ = try await store.list(.root, recursive: true)
        #expect(calls.new() == ["files/list_folder"])
        _ = try await store.fetch(path("/a"))
        #expect(calls.new() == ["files/download"])
        _ = try await store.put(bytes, at: path("/a"), mode: .update(Revision(rawValue: "1")))
        _ = try await store.put(bytes, at: path("/a"), mode: .add)
        #expect(calls.new() == ["files/upload", "files/upload"])
        _ = try await Recorder.upload(source, to: path("/a"), in: store)
        #expect(calls.new() == ["files/upload", "files/get_metadata"])
        _ = try await Recorder.download(path("/a"), to: folder.url.appending(path: "d"), in: store)
        #expect(calls.new() == ["files/get_metadata", "files/download"])
        isDeleted.withLock { $0 = true }
        try await store.delete(path("/a"), ifRevision: Revision(rawValue: "1"))
        #expect(calls.new() == ["files/delete_v2", "files/get_metadata"])
        isDeleted.withLock { $0 = false }
        _ = try await store.move(path("/a"), to: path("/b"))
        #expect(calls.new() == ["files/move_v2", "files/get_metadata"])
        _ = try await store.waitForChanges(after: cursor, atMost: longWait)
        #expect(calls.new() == ["files/list_folder/longpoll"])
        let photos = try (0..<100).map { try path("/\($0).jpg") }
        for await _ in store.thumbnails(of: photos, size: .w128h128) {}
        #expect(calls.new() == Array(repeating: "files/get_thumbnail_batch", count: 4))
    }

    @Test func fewThumbnailsAtATimeWhereARequestCostsNothing() async throws {
        let dropbox = try ScriptedDropbox(configure: { $0.thumbnailsPerRequest = 2 }) { _ in
            .json(
                GetThumbnailBatchResult(entries: [
                    .failure(.conversionError), .failure(.conversionError),
                ]))
        }
        for await _ in dropbox.store.thumbnails(
            of: try (0..<100).map { try path("/\($0).jpg") }, size: .w128h128)
        {}
        #expect(dropbox.routes == Array(repeating: "files/get_thumbnail_batch", count: 50))
    }

    @Test func aVeryLargeFileTakesOneRequestForEachPart() async throws {
        let bytes = data("0123456789abcdefghi")
        let dropbox = try ScriptedDropbox(configure: {
            $0.limits.wholeFileByteCount = 10
            $0.limits.chunkByteCount = 8
        }) { request in
            switch request.target {
            case "/2/files/upload_session/finish": .json(FileMetadata.named("/a", data: bytes))
            case "/2/files/get_metadata": .json(Metadata.file(.named("/a", data: bytes)))
            default: .json(#"{"session_id":"s"}"#)
            }
        }
        let folder = try TemporaryFolder()
        _ = try await Recorder.upload(
            folder.write(bytes, to: "f"), to: path("/a"), in: dropbox.store)
        #expect(
            dropbox.routes
                == ["start", "append_v2", "finish"].map { "files/upload_session/\($0)" }
                + ["files/get_metadata"])
    }

    @Test func webDAVTakesFewMore() async throws {
        let standIn = try WebDAVStandIn {
            $0.limits.directByteCount = 8
            $0.limits.shortestInterval = longWait
            $0.limits.longestInterval = longWait
        }
        let store = standIn.store
        let calls = Calls { standIn.calls }
        _ = try await store.put(data("first"), at: path("/first"), mode: .add)
        // The probe's result is kept.
        #expect(calls.new().count == 8 + 2)
        for index in 0..<100 { standIn.plant("no picture", at: "/\(index).jpg") }
        standIn.plant("one", at: "/a")
        standIn.plantFolder(at: "/f")
        standIn.plantFolder(at: "/f/g")
        let folder = try TemporaryFolder()
        let small = try folder.write(data("12345678"), to: "small")
        let large = try folder.write(data("123456789"), to: "large")

        _ = try await store.list(.root, recursive: true)
        #expect(calls.new() == ["PROPFIND /", "PROPFIND /f/", "PROPFIND /f/g/"])
        let listing = try await store.list(.root)
        #expect(calls.new() == ["PROPFIND /"])
        _ = try await store.fetch(path("/a"))
        #expect(calls.new() == ["GET /a"])
        let revision = try #require(listing.files.first { $0.name == "a" }?.revision)
        let saved = try await store.put(data("two"), at: path("/a"), mode: .update(revision))
        #expect(calls.new() == ["PUT /a", "PROPFIND /a"])
        _ = try await store.put(data("new"), at: path("/new"), mode: .add)
        #expect(calls.new() == ["PUT /new", "PROPFIND /new"])
        for await _ in store.thumbnails(
            of: try (0..<100).map { try path("/\($0).jpg") }, size: .w128h128)
        {}
        #expect(calls.new().count == 100)
        _ = try await Recorder.upload(small, to: path("/small"), in: store)
        #expect(calls.new() == ["PUT /small", "PROPFIND /small"])
        _ = try await Recorder.upload(large, to: path("/large"), in: store)
        #expect(
            calls.newMethods() == ["PROPFIND", "PUT", "PROPFIND", "PROPFIND", "MOVE", "PROPFIND"])
        _ = try await Recorder.download(
            path("/large"), to: folder.url.appending(path: "d"), in: store)
        #expect(calls.new() == ["PROPFIND /large", "GET /large", "PROPFIND /large"])
        try await store.delete(path("/a"), ifRevision: saved.revision)
        #expect(calls.new() == ["PROPFIND /a", "DELETE /a", "PROPFIND /a"])
        _ = try await store.move(path("/large"), to: path("/moved"))
        #expect(
            calls.new()
                == [
                    "PROPFIND /large", "PROPFIND /moved", "MOVE /large", "PROPFIND /moved",
                    "PROPFIND /large",
                ])
        // Idle: one request per poll; the first also asks for sync-token support.
        let cursor = try await store.list(.root).cursor
        _ = calls.new()
        #expect(try await !store.waitForChanges(after: cursor, atMost: longWait))
        #expect(calls.new() == ["PROPFIND /", "PROPFIND /"])
        #expect(try await !store.waitForChanges(after: cursor, atMost: longWait))
        #expect(calls.new() == ["PROPFIND /"])
    }

    @Test func whatGoesOnAfterAnInterruptionTakesOneRequestForEachPart() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(data("0123456789abcdefghijk"), to: "f")
        let record = folder.url.appending(path: "f.upload")
        let standIn = try WebDAVStandIn(.init(ranges: .placed)) {
            $0.limits.directByteCount = 8
            $0.limits.chunkByteCount = 10
        }
        _ = try await standIn.store.put(data("first"), at: path("/first"), mode: .add)
        _ = try await standIn.store.probeRanges(during: .upload)
        let calls = Calls { standIn.calls }
        _ = calls.new()
        _ = try await Recorder.upload(file, to: path("/a"), record: record, in: standIn.store)
        #expect(
            calls.newMethods()
                == [
                    "PROPFIND", "PUT", "PUT", "PUT", "PROPFIND", "PROPFIND", "MOVE", "PROPFIND",
                ])
        let sessions = UploadSessionsStandIn()
        let dropbox = try sessions.makeDropbox()
        let small = try folder.write(Data(repeating: 1, count: 900), to: "g")
        _ = try await Recorder.upload(small, to: path("/up.jpg"), record: record, in: dropbox.store)
        #expect(
            dropbox.routes
                == ["start", "append_v2", "finish"].map { "files/upload_session/\($0)" }
                + ["files/get_metadata"])
    }

    @Test func nextcloudTakesPartsAndPreviews() async throws {
        let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
        let standIn = try WebDAVStandIn(
            .init(
                base: "/remote.php/dav/files/ann",
                interception: { request in
                    request.target.hasPrefix("/index.php/core/preview?")
                        ? [.answer("200 OK", body: picture)] : nil
                }), credentials: .password(user: "ann", password: "app password")
        ) {
            $0.limits.chunkByteCount = 10
            $0.limits.shortestInterval = longWait
            $0.limits.longestInterval = longWait
        }
        let store = standIn.store
        let calls = Calls { standIn.requests.map(\.method) }
        _ = try await store.put(data("first"), at: path("/first"), mode: .add)
        for index in 0..<100 { standIn.plant(picture, at: "/\(index).jpg") }
        let cursor = try await store.list(.root).cursor
        _ = calls.new()
        for await _ in store.thumbnails(
            of: try (0..<100).map { try path("/\($0).jpg") }, size: .w128h128)
        {}
        #expect(calls.new() == Array(repeating: "GET", count: 100))
        let folder = try TemporaryFolder()
        _ = try await Recorder.upload(
            folder.write(data("0123456789"), to: "small"), to: path("/small"), in: store)
        #expect(calls.new() == ["PUT", "PROPFIND"])
        _ = try await Recorder.upload(
            folder.write(data("0123456789abcdefghijk"), to: "large"), to: path("/large"), in: store)
        #expect(
            calls.new()
                == [
                    "PROPFIND", "PROPFIND", "MKCOL", "PUT", "PUT", "PUT", "PROPFIND", "MOVE",
                    "PROPFIND", "GET",
                ])
        // Idle: one request per poll, for the folder alone.
        let now = try await store.changes(since: cursor).cursor
        _ = calls.new()
        _ = try await store.waitForChanges(after: now, atMost: longWait)
        #expect(calls.new() == ["PROPFIND"])
        #expect(standIn.requests.last?["Depth"] == "0")
    }

    /// The requests since the last call.
    private final class Calls: Sendable {
        private let all: @Sendable () -> [String]
        private let seen = Mutex(0)

        init(_ all: @escaping @Sendable () -> [String]) {
            self.all = all
        }

        func new() -> [String] {
            let all = all()
            return seen.withLock { seen in
                defer { seen = all.count }
                return Array(all[seen...])
            }
        }

        func newMethods() -> [String] {
            new().map { String($0.prefix { $0 != " " }) }
        }
    }
}
