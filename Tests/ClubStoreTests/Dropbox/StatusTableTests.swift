import ClubStore
import Foundation
import TestSupport
import Testing

/// Status by operation: what comes out of it.
@Suite struct StatusTableTests {
    /// One call of each kind.
    static let calls:
        [(StoreError.Operation, @Sendable (DropboxStore) async throws -> Void)] =
            [
                (.account, { _ = try await $0.account() }),
                (.list, { _ = try await $0.list(try path("/a")) }),
                (.changes, { _ = try await $0.changes(since: Cursor(rawValue: "c")) }),
                (
                    .waitForChanges,
                    {
                        _ = try await $0.waitForChanges(
                            after: Cursor(rawValue: "c"), atMost: .seconds(30))
                    }
                ),
                (.metadata, { _ = try await $0.metadata(of: try path("/a")) }),
                (.fetch, { _ = try await $0.fetch(try path("/a")) }),
                (.put, { _ = try await $0.put(data("x"), at: try path("/a"), mode: .add) }),
                (
                    .thumbnail,
                    { store in
                        for await (_, result) in store.thumbnails(
                            of: [try path("/a")], size: .w64h64)
                        {
                            _ = try result.get()
                        }
                    }
                ),
                (.delete, { try await $0.delete(try path("/a")) }),
                (.move, { _ = try await $0.move(try path("/a"), to: try path("/b")) }),
                (.createFolder, { try await $0.createFolder(try path("/a")) }),
                (.search, { _ = try await $0.search("x", in: .root) }),
                (
                    .upload,
                    { store in
                        let folder = try TemporaryFolder()
                        let file = try folder.write(data("x"), to: "f")
                        _ = try await Recorder.upload(file, to: try path("/a"), in: store)
                    }
                ),
                (
                    .download,
                    { store in
                        let folder = try TemporaryFolder()
                        _ = try await Recorder.download(
                            try path("/a"), to: folder.url.appending(path: "f"), in: store)
                    }
                ),
            ]

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
    ]

    @Test(arguments: statuses.indices)
    func eachStatusMeansTheSameToEachCall(_ index: Int) async throws {
        let (status, code) = Self.statuses[index]
        for (operation, call) in Self.calls {
            let dropbox = try ScriptedDropbox([
                [.answer(status, ["Content-Type: text/html"], body: "<html>Error</html>")]
            ])
            let expected: StoreError.Code =
                switch (code, operation) {
                case (.notFound, .changes), (.notFound, .waitForChanges): .cursorReset
                case (.notFound, .account): .badAnswer
                case (.timedOut, .waitForChanges): .serverUnavailable(retryAfter: nil)
                default: code
                }
            do {
                try await call(dropbox.store)
                Issue.record("\(operation) did not fail on \(status)")
            } catch let error as StoreError {
                #expect(error.code.bare == expected, "\(operation) on \(status): \(error)")
                #expect(error.operation == operation, "on \(status)")
            }
        }
    }

    @Test(arguments: [
        [LoopbackStep].html, .json(""), .json("null"), .json("[]"), .json("{\"a\":"),
        .json(#"{"entries":7}"#), [.answer(body: [0xFF, 0xFE, 0x00])],
    ])
    func senselessAnswersAreBadAnswersToEachCall(_ answer: [LoopbackStep]) async throws {
        for (operation, call) in Self.calls where operation != .thumbnail {
            let dropbox = try ScriptedDropbox([answer])
            do {
                try await call(dropbox.store)
                Issue.record("\(operation) took it")
            } catch let error as StoreError {
                #expect(error.code == .badAnswer, "\(operation): \(error)")
            }
        }
    }
}
