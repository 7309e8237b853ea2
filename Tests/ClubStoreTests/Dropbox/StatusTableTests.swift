import ClubStore
import Foundation
import TestSupport
import Testing

/// The error for each status and operation.
@Suite struct StatusTableTests {
    private static let statuses: [(status: String, code: StoreError.Code)] = [
        ("400 Bad Request", .badRequest), ("401 Unauthorized", .unauthorized),
        ("403 Forbidden", .forbidden), ("404 Not Found", .notFound),
        ("405 Method Not Allowed", .badRequest), ("408 Request Timeout", .timedOut),
        ("409 Conflict", .badAnswer), ("413 Content Too Large", .tooLarge),
        ("422 Unprocessable Content", .badRequest),
        ("429 Too Many Requests", .rateLimited(retryAfter: nil)),
        ("500 Internal Server Error", .serverError),
        ("502 Bad Gateway", .serverUnavailable(retryAfter: nil)),
        ("503 Service Unavailable", .serverUnavailable(retryAfter: nil)),
        ("504 Gateway Timeout", .serverUnavailable(retryAfter: nil)),
        ("507 Insufficient Storage", .overQuota), ("302 Found", .badAnswer),
        ("410 Gone", .notFound), ("423 Locked", .locked),
        ("425 Too Early", .serverUnavailable(retryAfter: nil)),
        ("501 Not Implemented", .serverError),
        ("509 Bandwidth Limit Exceeded", .rateLimited(retryAfter: nil)),
        ("511 Network Authentication Required", .badAnswer), ("304 Not Modified", .badAnswer),
    ]

    @Test(arguments: statuses.indices)
    func eachStatusMeansTheSameToEachCall(_ index: Int) async throws {
        let (status, code) = Self.statuses[index]
        for call in StoreCall.all {
            let dropbox = try ScriptedDropbox([
                [.answer(status, ["Content-Type: text/html"], body: "<html>Error</html>")]
            ])
            let expected: StoreError.Code =
                switch (code, call.operation) {
                case (.notFound, .changes), (.notFound, .waitForChanges): .cursorReset
                case (.notFound, .account): .badAnswer
                case (.timedOut, .waitForChanges): .serverUnavailable(retryAfter: nil)
                default: code
                }
            await call.expectFailure(
                expected, of: dropbox.store, Cursor(rawValue: "c"), "on \(status)")
        }
    }

    @Test(arguments: [
        [LoopbackStep].html, .json(""), .json("null"), .json("[]"), .json("{\"a\":"),
        .json(#"{"entries":7}"#), [.answer(body: [0xFF, 0xFE, 0x00])],
    ])
    func senselessAnswersAreBadAnswersToEachCall(_ answer: [LoopbackStep]) async throws {
        for call in StoreCall.all {
            let dropbox = try ScriptedDropbox([answer])
            await call.expectFailure(.badAnswer, of: dropbox.store, Cursor(rawValue: "c"))
        }
    }
}
