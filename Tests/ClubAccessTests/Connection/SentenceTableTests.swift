import Foundation
import TestSupport
import Testing

@testable import ClubAccess
@testable import ClubStore

/// Every status a server may return, for everything a person can do: the exact messages.
///
/// `Sentences.txt` is the table. A changed message shows there, in the review.
@Suite struct SentenceTableTests {
    private static let statuses = [
        "400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found",
        "405 Method Not Allowed", "408 Request Timeout", "409 Conflict", "413 Content Too Large",
        "423 Locked", "429 Too Many Requests", "500 Internal Server Error", "502 Bad Gateway",
        "503 Service Unavailable", "504 Gateway Timeout", "507 Insufficient Storage", "302 Found",
        "200 OK",
    ]

    /// Responses with a `Retry-After`.
    private static let pauses = [
        ("429 Too Many Requests", "1200"), ("503 Service Unavailable", "7200"),
    ]

    /// What a person does, and the corresponding call.
    private static let actions: [(String, @Sendable (any RemoteStore) async throws -> Void)] = [
        ("see the account", { _ = try await $0.account() }),
        ("list the club", { _ = try await $0.list(.root) }),
        ("open a note", { _ = try await $0.fetch(path) }),
        ("save a note", { _ = try await $0.put(Data("x".utf8), at: path, mode: .add) }),
        ("rename a note", { _ = try await $0.move(path, to: .root.appending("B.txt")) }),
        ("remove a note", { try await $0.delete(path) }),
        ("see a thumbnail", { try await seeThumbnail(in: $0) }),
        ("upload a photo", { try await upload(to: $0) }),
        ("download a photo", { try await download(from: $0) }),
    ]

    private static var path: RemotePath {
        get throws { try RemotePath.root.appending("A.txt") }
    }

    @Test func theTableIsAsItWasAgreed() async throws {
        let table = try await Self.table()
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Sentences.txt")
        let agreed = try? String(contentsOf: file, encoding: .utf8)
        guard table != agreed else { return }
        let new = FileManager.default.temporaryDirectory.appending(path: "Sentences.txt")
        try Data(table.utf8).write(to: new)
        Issue.record("The sentences are others now. Compare: diff \(file.path) \(new.path)")
    }

    private static func table() async throws -> String {
        var rows: [String] = []
        let answers: [(label: String, status: String, fields: [String])] =
            statuses.map { (label: String($0.prefix(3)), status: $0, fields: [String]()) }
            + pauses.map { ("\($0.0.prefix(3)) for \($0.1) s", $0.0, ["Retry-After: " + $0.1]) }
        for (action, call) in actions {
            for answer in answers {
                for (name, makeStore) in stores {
                    let server = try LoopbackServer { _ in
                        [
                            .answer(
                                answer.status, ["Content-Type: text/html"] + answer.fields,
                                body: "<html>Error</html>")
                        ]
                    }
                    let words = await sentence(of: call, in: try makeStore(server.url("")))
                    rows.append("\(action), \(answer.label), \(name): \(words)")
                }
            }
            for (name, makeStore) in stores {
                let server = try LoopbackServer { _ in [.close] }
                let words = await sentence(of: call, in: try makeStore(server.url("")))
                rows.append("\(action), no answer, \(name): \(words)")
            }
        }
        return rows.joined(separator: "\n") + "\n"
    }

    private static func sentence(
        of call: @Sendable (any RemoteStore) async throws -> Void, in store: any RemoteStore
    ) async -> String {
        do {
            try await call(store)
            return "(nothing is wrong)"
        } catch let error as StoreError {
            let words = ErrorMessage(error, club: .remote)
            return "\(words.title). \(words.text)"
        } catch {
            return "\(error)"
        }
    }

    /// Both kinds of store, without real delays.
    private static let stores: [(String, @Sendable (URL) throws -> any RemoteStore)] = [
        (
            "Dropbox",
            { address in
                var configuration = DropboxStore.Configuration(
                    hosts: DropboxStore.Hosts(all: address))
                configuration.clock.sleep = { _ in }
                return DropboxStore(configuration, access: FixedToken("t"))
            }
        ),
        (
            "WebDAV",
            { address in
                var configuration = WebDAVStore.Configuration(
                    baseURL: address, credentials: .password(user: "u", password: "p"))
                configuration.clock.sleep = { _ in }
                configuration.thumbnailer = PictureThumbnailer()
                return try WebDAVStore(configuration)
            }
        ),
    ]

    private static func seeThumbnail(in store: any RemoteStore) async throws {
        for await (_, result) in store.thumbnails(of: [try path], size: .w64h64) {
            _ = try result.get()
        }
    }

    @MainActor private static func upload(to store: any RemoteStore) async throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "sentence-\(UUID().uuidString)")
        try Data("x".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let path = try path
        _ = try await TransferRun.run { delegate in
            store.upload(fileAt: file, to: path, mode: .add, delegate: delegate)
        } moved: { _, _ in
        }
    }

    @MainActor private static func download(from store: any RemoteStore) async throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "sentence-\(UUID().uuidString)")
        let path = try path
        _ = try await TransferRun.run { delegate in
            store.download(path, to: file, delegate: delegate)
        } moved: { _, _ in
        }
    }
}
