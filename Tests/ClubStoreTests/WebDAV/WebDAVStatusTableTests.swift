import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Status by operation, at a WebDAV server: what comes out of it.
@Suite struct WebDAVStatusTableTests {
    /// One call of each kind; those that follow a listing are given its cursor.
    private static let calls:
        [(StoreError.Operation, @Sendable (WebDAVStore, Cursor) async throws -> Void)] =
            [
                (.account, { store, _ in _ = try await store.account() }),
                (.list, { store, _ in _ = try await store.list(path("/a")) }),
                (.changes, { store, cursor in _ = try await store.changes(since: cursor) }),
                (
                    .waitForChanges,
                    { store, cursor in
                        _ = try await store.waitForChanges(after: cursor, atMost: .seconds(30))
                    }
                ),
                (.metadata, { store, _ in _ = try await store.metadata(of: path("/a")) }),
                (.fetch, { store, _ in _ = try await store.fetch(path("/a")) }),
                (
                    .put,
                    { store, _ in _ = try await store.put(data("x"), at: path("/a"), mode: .add) }
                ),
                (
                    .thumbnail,
                    { store, _ in
                        for await (_, result) in store.thumbnails(
                            of: [try path("/a")], size: .w64h64)
                        {
                            _ = try result.get()
                        }
                    }
                ),
                (.delete, { store, _ in try await store.delete(path("/a")) }),
                (.move, { store, _ in _ = try await store.move(path("/a"), to: path("/b")) }),
                (.createFolder, { store, _ in try await store.createFolder(path("/a")) }),
                (.search, { store, _ in _ = try await store.search("x", in: .root) }),
                (
                    .upload,
                    { store, _ in
                        let folder = try TemporaryFolder()
                        let file = try folder.write(data("x"), to: "f")
                        _ = try await Recorder.upload(file, to: try path("/a"), in: store)
                    }
                ),
                (
                    .download,
                    { store, _ in
                        let folder = try TemporaryFolder()
                        _ = try await Recorder.download(
                            try path("/a"), to: folder.url.appending(path: "f"), in: store)
                    }
                ),
            ]

    private static let unavailable = StoreError.Code.serverUnavailable(retryAfter: nil)
    private static let conflict = StoreError.Code.conflict(serverRevision: nil)

    private static let statuses: [(status: String, code: StoreError.Code)] = [
        ("400 Bad Request", .badRequest), ("401 Unauthorized", .unauthorized),
        ("403 Forbidden", .forbidden), ("404 Not Found", .notFound),
        ("405 Method Not Allowed", .badAnswer), ("408 Request Timeout", .timedOut),
        ("409 Conflict", .badAnswer), ("410 Gone", .notFound),
        ("412 Precondition Failed", conflict), ("413 Content Too Large", .tooLarge),
        ("414 URI Too Long", .nameNotAllowed), ("415 Unsupported Media Type", .badRequest),
        ("422 Unprocessable Content", .badRequest), ("423 Locked", .locked),
        ("425 Too Early", unavailable), ("429 Too Many Requests", .rateLimited(retryAfter: nil)),
        ("500 Internal Server Error", .serverError), ("501 Not Implemented", .badAnswer),
        ("502 Bad Gateway", unavailable), ("503 Service Unavailable", unavailable),
        ("504 Gateway Timeout", unavailable), ("507 Insufficient Storage", .overQuota),
        ("508 Loop Detected", .serverError),
        ("509 Bandwidth Limit Exceeded", .rateLimited(retryAfter: nil)),
        ("511 Network Authentication Required", .badAnswer), ("302 Found", .badAnswer),
        ("304 Not Modified", .badAnswer),
    ]

    /// What differs by what was asked.
    private static func code(
        _ status: Int, _ operation: StoreError.Operation, _ usual: StoreError.Code
    ) -> StoreError.Code {
        let reads: Set<StoreError.Operation> = [
            .account, .list, .changes, .waitForChanges, .metadata, .fetch, .thumbnail, .search,
            .download,
        ]
        return switch (status, operation) {
        case (404, .changes), (404, .waitForChanges), (410, .changes), (410, .waitForChanges):
            .cursorReset
        // A folder that cannot even be made.
        case (404, .account), (410, .account), (404, .put), (404, .upload), (410, .put),
            (410, .upload), (404, .createFolder), (410, .createFolder):
            .badAnswer
        case (405, .put), (405, .upload), (405, .thumbnail), (501, .put), (501, .upload),
            (501, .thumbnail):
            .forbidden
        case (408, .waitForChanges): unavailable
        // Nothing can be below what is no folder.
        case (409, .metadata), (409, .fetch), (409, .delete), (409, .move), (409, .download):
            .notFound
        case (409, .put), (409, .upload), (409, .createFolder): conflict
        case (412, let operation) where reads.contains(operation): .badAnswer
        default: usual
        }
    }

    @Test(arguments: statuses.indices)
    func eachStatusMeansTheSameToEachCall(_ index: Int) async throws {
        let (status, usual) = Self.statuses[index]
        let number = try #require(Int(status.prefix(3)))
        for (operation, call) in Self.calls {
            let isFailing = Mutex(false)
            let standIn = try WebDAVStandIn(
                WebDAVStandIn.Manners(interception: { _ in
                    isFailing.withLock { $0 }
                        ? [.answer(status, ["Content-Type: text/html"], body: "<html>No</html>")]
                        : nil
                }))
            let cursor = try await standIn.store.list(.root).cursor
            isFailing.withLock { $0 = true }
            let expected = Self.code(number, operation, usual)
            do {
                try await call(standIn.store, cursor)
                Issue.record("\(operation) did not fail on \(status)")
            } catch let error as StoreError {
                #expect(error.code.bare == expected, "\(operation) on \(status): \(error)")
                #expect(error.operation == operation, "on \(status)")
            }
        }
    }
}
