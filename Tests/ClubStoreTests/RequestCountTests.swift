import DropboxAPI
import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// The table "What goes over the wire" in `docs/Clubs.md`.
@Suite struct RequestCountTests {
    private static let entriesPerPage = 2000

    /// Pages of a listing of so many files.
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
        let start = ContinuousClock.now
        let listing = try await dropbox.store.list(.root)
        let took = ContinuousClock.now - start
        #expect(listing.files.count == 10_000)
        #expect(
            dropbox.routes == ["files/list_folder"]
                + Array(repeating: "files/list_folder/continue", count: 4))
        // The figure to hold is 5 s; this is to notice what is far from it.
        #expect(took < .seconds(60))
    }

    @Test func dropboxTakesOneRequestForMostThings() async throws {
        let bytes = data("x")
        let file = FileMetadata.named("/a", data: bytes)
        let dropbox = try ScriptedDropbox { request in
            switch request.target {
            case "/2/files/download": .bytes(bytes, of: file)
            case "/2/files/upload": .json(file)
            case "/2/files/get_thumbnail_batch":
                .json(
                    #"{"entries":[\#(Array(repeating: #"{".tag":"failure","failure":{".tag":"conversion_error"}}"#, count: 25).joined(separator: ","))]}"#
                )
            default: .json(#"{"entries":[],"cursor":"c","has_more":false}"#)
            }
        }
        let folder = try TemporaryFolder()
        let source = try folder.write(bytes, to: "f")
        _ = try await dropbox.store.list(.root)
        _ = try await dropbox.store.fetch(path("/a"))
        _ = try await dropbox.store.put(bytes, at: path("/a"), mode: .add)
        _ = try await Recorder.upload(source, to: path("/a"), in: dropbox.store)
        #expect(
            dropbox.routes == [
                "files/list_folder", "files/download", "files/upload", "files/upload",
            ])
        let photos = try (0..<100).map { try path("/\($0).jpg") }
        for await _ in dropbox.store.thumbnails(of: photos, size: .w128h128) {}
        #expect(
            dropbox.routes.dropFirst(4)
                == Array(repeating: "files/get_thumbnail_batch", count: 4)[...])
    }

    @Test func webDAVTakesFewMore() async throws {
        let standIn = try WebDAVStandIn { $0.limits.directByteCount = 8 }
        let store = standIn.store
        _ = try await store.put(data("first"), at: path("/first"), mode: .add)
        for index in 0..<100 { standIn.plant("no picture", at: "/\(index).jpg") }
        standIn.plant("one", at: "/a")
        let folder = try TemporaryFolder()
        let small = try folder.write(data("12345678"), to: "small")
        let large = try folder.write(data("123456789"), to: "large")
        _ = standIn.newCalls()

        let note = try await store.list(.root).files.first { $0.name == "a" }
        #expect(standIn.newCalls() == ["PROPFIND /"])
        _ = try await store.fetch(path("/a"))
        #expect(standIn.newCalls() == ["GET /a"])
        let revision = try #require(note?.revision)
        let saved = try await store.put(data("two"), at: path("/a"), mode: .update(revision))
        #expect(standIn.newCalls() == ["PUT /a", "PROPFIND /a"])
        for await _ in store.thumbnails(
            of: try (0..<100).map { try path("/\($0).jpg") }, size: .w128h128)
        {}
        #expect(standIn.newCalls().count == 100)
        _ = try await Recorder.upload(small, to: path("/small"), in: store)
        #expect(standIn.newCalls() == ["PUT /small", "PROPFIND /small"])
        _ = try await Recorder.upload(large, to: path("/large"), in: store)
        #expect(
            standIn.newCalls().map { String($0.prefix(while: { $0 != " " })) }
                == ["PROPFIND", "PUT", "MOVE", "PROPFIND"])
        _ = try await Recorder.download(
            path("/large"), to: folder.url.appending(path: "d"), in: store)
        #expect(standIn.newCalls() == ["PROPFIND /large", "GET /large"])
        try await store.delete(path("/a"), ifRevision: saved.revision)
        #expect(standIn.newCalls() == ["PROPFIND /a", "DELETE /a"])
        _ = try await store.move(path("/large"), to: path("/moved"))
        #expect(standIn.newCalls() == ["PROPFIND /large", "MOVE /large", "PROPFIND /moved"])
    }
}
