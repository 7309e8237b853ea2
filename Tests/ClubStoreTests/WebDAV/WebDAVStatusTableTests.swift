import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// The error for each status and operation, on a WebDAV server.
@Suite struct WebDAVStatusTableTests {
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

    /// The differences by operation.
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
        // The club's own folder is looked for after a 404: that is missing, too.
        case (404, .put), (404, .upload), (404, .createFolder): .notFound
        case (404, .account), (410, .account), (410, .put), (410, .upload), (410, .createFolder):
            .badAnswer
        case (405, .put), (405, .upload), (405, .thumbnail), (501, .put), (501, .upload),
            (501, .thumbnail):
            .forbidden
        case (408, .waitForChanges): unavailable
        // The parent is not a folder.
        case (409, .metadata), (409, .fetch), (409, .delete), (409, .move), (409, .download):
            .notFound
        case (409, .put), (409, .upload), (409, .createFolder): .refused
        // Without a condition, none can fail.
        case (412, .delete): .refused
        case (412, let operation) where reads.contains(operation): .badAnswer
        default: usual
        }
    }

    @Test(arguments: statuses.indices)
    func eachStatusMeansTheSameToEachCall(_ index: Int) async throws {
        let (status, usual) = Self.statuses[index]
        let number = try #require(Int(status.prefix(3)))
        for call in StoreCall.all {
            let isFailing = Mutex(false)
            let standIn = try WebDAVStandIn(
                WebDAVStandIn.Manners(interception: { _ in
                    isFailing.withLock { $0 }
                        ? [.answer(status, ["Content-Type: text/html"], body: "<html>No</html>")]
                        : nil
                }))
            let cursor = try await standIn.store.list(.root).cursor
            isFailing.withLock { $0 = true }
            await call.expectFailure(
                Self.code(number, call.operation, usual), of: standIn.store, cursor, "on \(status)")
        }
    }
}
