import Foundation
import Testing

@testable import ClubStore

/// Every documented error of upload sessions, at each step: the result of the upload.
@MainActor @Suite struct SessionErrorTableTests {
    enum Step: Int, CaseIterable, Sendable {
        case start, append, finish
    }

    private enum Outcome: Equatable {
        case fails(StoreError.Code)
        /// The upload continues: the file arrives.
        case arrives
    }

    private static func outcome(of tag: String, at step: Step) -> Outcome? {
        switch (tag, step) {
        case ("concurrent_session_data_not_allowed", .start),
            ("concurrent_session_data_not_allowed", .finish),
            ("concurrent_session_close_not_allowed", .start),
            ("concurrent_session_invalid_offset", .append),
            ("concurrent_session_invalid_data_size", .append),
            ("concurrent_session_not_closed", .finish),
            ("concurrent_session_missing_data", .finish), ("properties_error", .finish),
            ("encryption_not_supported", .finish), ("too_many_shared_folder_targets", .finish):
            .fails(.badRequest)
        case ("other", _): .fails(.refused)
        case ("payload_too_large", _), ("too_large", .append): .fails(.tooLarge)
        case ("content_hash_mismatch", _): .fails(.damaged)
        case ("not_found", .append), ("closed", .append): .arrives
        case ("too_many_write_operations", .finish): .fails(.rateLimited(retryAfter: nil))
        default: nil
        }
    }

    private static let tags = [
        "concurrent_session_data_not_allowed", "concurrent_session_close_not_allowed",
        "concurrent_session_invalid_offset", "concurrent_session_invalid_data_size",
        "concurrent_session_not_closed", "concurrent_session_missing_data", "properties_error",
        "encryption_not_supported", "too_many_shared_folder_targets", "payload_too_large",
        "too_large", "content_hash_mismatch", "not_found", "closed", "too_many_write_operations",
        "other",
    ]

    /// The session errors of a finish, besides an incorrect offset.
    private static let lookups: [(tag: String, outcome: Outcome)] = [
        ("not_found", .arrives), ("closed", .arrives), ("not_closed", .fails(.badRequest)),
        ("too_large", .fails(.tooLarge)), ("payload_too_large", .fails(.tooLarge)),
        ("concurrent_session_invalid_offset", .fails(.badRequest)),
        ("concurrent_session_invalid_data_size", .fails(.badRequest)),
    ]

    private let folder: TemporaryFolder
    private let source: URL

    init() throws {
        folder = try TemporaryFolder()
        source = try folder.write(Data(repeating: 7, count: 1100), to: "f")
    }

    /// Uploads in three requests, of which one is rejected, every time unless `once`.
    private func expect(
        _ outcome: Outcome, at step: Step, on union: String, once: Bool = true
    ) async throws {
        let sessions = UploadSessionsStandIn()
        for number in step.rawValue..<(once ? step.rawValue + 1 : 20) {
            sessions.fail(number, by: .refusal(union))
        }
        let dropbox = try sessions.makeDropbox()
        let recorder = Recorder()
        let transfer = dropbox.store.upload(
            fileAt: source, to: try path("/up.jpg"), mode: .add, delegate: recorder)
        transfer.resume()
        await recorder.waitForEnd()
        switch (recorder.results[0], outcome) {
        case (.success, .arrives):
            #expect(sessions.file?.count == 1100)
        case (.failure(let error), .fails(let code)):
            #expect(error.code.bare == code.bare, "\(union) at \(step): \(error)")
            #expect(error.operation == .upload)
        case (let result, _):
            Issue.record("\(union) at \(step): \(result)")
        }
    }

    @Test(arguments: Step.allCases)
    func eachErrorOfAStepIsAnswered(_ step: Step) async throws {
        for tag in Self.tags {
            guard let outcome = Self.outcome(of: tag, at: step) else { continue }
            // Temporary errors are retried, and bytes that came out wrong are sent again.
            let isForNow =
                outcome == .fails(.rateLimited(retryAfter: nil)) || outcome == .fails(.damaged)
            try await expect(
                isForNow ? .arrives : outcome, at: step, on: #"{".tag":"\#(tag)"}"#)
            if isForNow {
                try await expect(outcome, at: step, on: #"{".tag":"\#(tag)"}"#, once: false)
            }
        }
    }

    @Test func eachErrorAboutTheSessionIsAnsweredWhenItIsFinished() async throws {
        for (tag, outcome) in Self.lookups {
            try await expect(
                outcome, at: .finish,
                on: #"{".tag":"lookup_failed","lookup_failed":{".tag":"\#(tag)"}}"#)
        }
    }

    @Test func eachErrorAboutThePlaceIsTold() async throws {
        for (union, code) in UnionTableTests.write {
            try await expect(
                .fails(code), at: .finish, on: #"{".tag":"path","path":\#(union)}"#, once: false)
        }
    }
}
