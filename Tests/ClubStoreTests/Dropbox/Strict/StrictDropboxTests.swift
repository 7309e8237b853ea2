import Foundation
import Testing

@testable import ClubStore
@testable import TestSupport

/// The Dropbox adapter with a server that enforces every rule of the API, without shared types.
@Suite struct StrictDropboxTests {
    /// The server here keeps no revisions; the embedded club's does, see `EmbeddedServerTests`.
    @Test(arguments: RemoteStoreContract.withoutRevisions)
    func keepsThePromise(_ promise: ContractCheck) async throws {
        let dropbox = try StrictDropbox()
        try await promise.check(dropbox.store)
        #expect(dropbox.violations.isEmpty)
    }

    @Test func largeFilesKeepTheRulesToo() async throws {
        let dropbox = try StrictDropbox {
            $0.limits = DropboxStore.UploadLimits(wholeFileByteCount: 1000, chunkByteCount: 400)
        }
        let folder = try TemporaryFolder()
        let content = Data((0..<1100).map { UInt8(truncatingIfNeeded: $0 &* 17 >> 2) })
        let source = try folder.write(content, to: "f")
        let date = Date(timeIntervalSince1970: 1_600_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: source.path)
        let file = try await Recorder.upload(
            source, to: path("/Grüße 😀\u{7F}.jpg"), record: folder.url.appending(path: "r"),
            in: dropbox.store)
        #expect(file.modified == date)
        let copy = folder.url.appending(path: "d")
        _ = try await Recorder.download(file.path, to: copy, in: dropbox.store)
        #expect(try Data(contentsOf: copy) == content)
        // A copy keeps the date of its source.
        #expect(
            try FileManager.default.attributesOfItem(atPath: copy.path)[.modificationDate] as? Date
                == date)
        #expect(dropbox.violations.isEmpty)
    }

    @Test func manyPicturesKeepTheRulesToo() async throws {
        let dropbox = try StrictDropbox()
        for name in ["/a.jpg", "/b.jpg", "/c.txt"] {
            _ = try await dropbox.store.put(
                Data([0xFF, 0xD8, 0xFF, 0xD9]), at: path(name), mode: .add)
        }
        var found = 0
        for await (_, result) in dropbox.store.thumbnails(
            of: try ["/a.jpg", "/b.jpg", "/c.txt", "/none.jpg"].map(path), size: .w2048h1536)
        {
            if (try? result.get()) != nil { found += 1 }
        }
        for await (_, result) in dropbox.store.thumbnails(of: [try path("/a.jpg")], size: .w32h32) {
            if (try? result.get()) != nil { found += 1 }
        }
        #expect(found == 3)
        #expect(dropbox.violations.isEmpty)
    }

    /// The strict server does detect violations.
    @Test(arguments: [
        #"{"path":"","unknown":1}"#, #"{"path":7}"#, #"{}"#, #"{"path":"","recursive":1}"#,
        #"{"path":"","limit":2001}"#, #"{"path":"","limit":true}"#, #"{"path":"a"}"#, "[]", "",
    ])
    func whatIsAgainstTheRulesIsNoticed(_ argument: String) throws {
        let route = try #require(StrictRoute.all["files/list_folder"])
        let head =
            "POST /2/files/list_folder HTTP/1.1\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer \(StrictRoute.token)\r\n"
            + "Content-Length: \(argument.utf8.count)\r\n\r\n"
        let request = LoopbackRequest(connection: 0, head: head, body: Array(argument.utf8))
        #expect(throws: StrictViolation.self) { try route.read(request).get() }
    }
}
