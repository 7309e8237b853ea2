import Foundation
import Testing

@testable import ClubStore

/// The conclusions from what a server shows, and the states of a write: values, without a socket.
@Suite struct WriteEvidenceTests {
    private static let sent = WriteEvidence.Content(byteCount: 4, hash: "ours")
    private static let old = Revision(rawValue: "\"old\"")
    private static let new = Revision(rawValue: "\"new\"")

    @Test func lookingDecides() {
        func evidence(
            _ found: (Int64, String?)?, _ revision: Revision?, base: String? = nil,
            isExact: Bool = true
        ) -> WriteEvidence {
            WriteEvidence(
                sent: Self.sent, found: found.map { .init(byteCount: $0.0, hash: $0.1) },
                revision: revision, base: .init(revision: Self.old, hash: base),
                areRevisionsExact: isExact)
        }
        #expect(evidence(nil, nil) == .withoutEffect)
        #expect(evidence((4, "ours"), Self.new) == .stored)
        // The same revision: a server with second-based tags.
        #expect(evidence((4, "ours"), Self.old) == .stored)
        #expect(evidence((3, nil), Self.old) == .withoutEffect)
        #expect(evidence((4, "theirs"), Self.old) == .withoutEffect)
        #expect(evidence((4, "theirs"), Self.new) == .replaced)
        #expect(evidence((9, nil), Self.new) == .replaced)
        // Where revisions are not exact, only the bytes are proof.
        #expect(evidence((4, "before"), Self.old, base: "before", isExact: false) == .withoutEffect)
        #expect(evidence((4, "theirs"), Self.old, base: "before", isExact: false) == .replaced)
        #expect(evidence((4, "theirs"), Self.old, isExact: false) == .replaced)
    }

    @Test func withoutABaseSomethingElseIsSomebodyElses() {
        let evidence = WriteEvidence(
            sent: Self.sent, found: .init(byteCount: 4, hash: "theirs"), revision: Self.old,
            base: nil)
        #expect(evidence == .replaced)
    }

    /// A `MOVE` that was rejected because of another file must not be sent with overwriting
    /// allowed.
    @Test func whatMustBeNewIsNeverMovedWithoutThatCondition() {
        func next(isDirect: Bool) -> WriteState? {
            .afterRefusal(
                of: .absent, there: .nothing, isDirect: isDirect, capabilities: ServerCapabilities()
            )
        }
        #expect(next(isDirect: false) == nil)
        guard case .sending(.none, nil) = next(isDirect: true) else {
            Issue.record("a PUT goes where the look was")
            return
        }
    }

    /// The listing may be of an earlier moment.
    @Test func aServerThatChecksConditionsIsNotWrittenToWithoutOneAtOnce() {
        var capabilities = ServerCapabilities()
        capabilities.honorsIfNoneMatch = true
        func next(_ refused: [WriteCondition]) -> WriteState? {
            .afterRefusal(
                of: .absent, there: .nothing, isDirect: true, capabilities: capabilities,
                refused: refused)
        }
        guard case .sending(.absent, nil) = next([.absent]),
            case .sending(.absent, nil) = next([.matches(Self.old), .absent]),
            case .sending(.none, nil) = next([.absent, .absent])
        else {
            Issue.record("the condition is not repeated once")
            return
        }
    }

    @Test func aConditionBeginsAWriteOnlyWhereTheServerChecksIt() {
        func first(_ mode: RemoteWriteMode, checks: Bool, isCertain: Bool = true) -> WriteState {
            var capabilities = ServerCapabilities()
            capabilities.honorsIfMatch = checks
            capabilities.honorsIfNoneMatch = checks
            return .first(
                of: mode, isDirect: true, capabilities: capabilities, isBaseCertain: isCertain)
        }
        for mode in [RemoteWriteMode.create, .add, .update(Self.old), .overwrite] {
            guard case .inspecting = first(mode, checks: false) else {
                Issue.record("\(mode) does not look first")
                continue
            }
        }
        guard case .sending(.absent, nil) = first(.add, checks: true),
            case .sending(.matches(Self.old), _) = first(.update(Self.old), checks: true),
            case .inspecting = first(.update(Self.old), checks: true, isCertain: false)
        else {
            Issue.record("the condition is not sent at once")
            return
        }
    }
}
