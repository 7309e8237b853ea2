import DropboxAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Gateways that perform a call twice and report what the second one has met, and those that say yes to what they have
/// not done.
@Suite struct ContradictedAnswerTests {
    /// A club with a file at `/a`: a move or a removal is performed, and then denied.
    private final class Club: Sendable {
        let file = FileMetadata.named("/a", revision: "000000001", data: data("words"))
        private let isDone = Mutex(false)
        private let keepsRevisions: Bool

        init(keepsRevisions: Bool) { self.keepsRevisions = keepsRevisions }

        func answer(_ request: LoopbackRequest) -> [LoopbackStep] {
            let isDone = isDone.withLock { $0 }
            switch request.target {
            case "/2/files/move_v2":
                self.isDone.withLock { $0 = true }
                return .refusal(#"{".tag":"from_lookup","from_lookup":{".tag":"not_found"}}"#)
            case "/2/files/delete_v2":
                self.isDone.withLock { $0 = true }
                return .refusal(#"{".tag":"path_lookup","path_lookup":{".tag":"not_found"}}"#)
            case "/2/files/get_metadata":
                let asked = try? WireJSON.decodeArgument(
                    GetMetadataArg.self, from: Data(request.body))
                switch (asked?.path, isDone) {
                case ("/a", false): return .json(Metadata.file(file))
                case ("/b", true):
                    return .json(
                        Metadata.file(
                            .named("/b", revision: "000000002", data: data("words"))))
                default: return .refusal(#"{".tag":"path","path":{".tag":"not_found"}}"#)
                }
            case "/2/files/list_revisions" where keepsRevisions:
                return .json(
                    ListRevisionsResult(isDeleted: isDone, entries: [file], hasMore: false))
            default:
                return .refusal(#"{".tag":"path","path":{".tag":"not_found"}}"#)
            }
        }
    }

    private func makeDropbox(keepsRevisions: Bool) throws -> ScriptedDropbox {
        let club = Club(keepsRevisions: keepsRevisions)
        return try ScriptedDropbox { club.answer($0) }
    }

    /// The file is recognized by what was seen of it, or by the last of its revisions.
    @Test(arguments: [true, false])
    func aMoveThatIsPerformedTwiceIsDone(wasSeen: Bool) async throws {
        let dropbox = try makeDropbox(keepsRevisions: !wasSeen)
        if wasSeen { _ = try await dropbox.store.metadata(of: path("/a")) }
        let moved = try await dropbox.store.move(path("/a"), to: path("/b"))
        #expect(moved.path == (try path("/b")))
        #expect(dropbox.routes.count { $0 == "files/move_v2" } == 1)
    }

    @Test func aMoveOfWhatNobodyHasSeenIsNotDone() async throws {
        let dropbox = try makeDropbox(keepsRevisions: false)
        await expectFailure(.notFound) {
            _ = try await dropbox.store.move(path("/a"), to: path("/b"))
        }
    }

    @Test func aDeletionThatIsPerformedTwiceIsDone() async throws {
        let dropbox = try makeDropbox(keepsRevisions: true)
        try await dropbox.store.delete(path("/a"), ifRevision: Revision(rawValue: "000000001"))
        let other = try makeDropbox(keepsRevisions: true)
        await expectFailure(.notFound) {
            try await other.store.delete(path("/a"), ifRevision: Revision(rawValue: "000000007"))
        }
    }

    @Test(arguments: [true, false])
    func aConflictTellsWhetherTheBytesAreTheSame(isSame: Bool) async throws {
        let conflict = [LoopbackStep].refusal(
            #"{".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"file"}},"upload_session_id":"u"}"#
        )
        let there = FileMetadata.named("/a", data: data(isSame ? "mine" : "hers"))
        let dropbox = try ScriptedDropbox([conflict, .json(Metadata.file(there))])
        let error = await failure {
            _ = try await dropbox.store.put(data("mine"), at: path("/a"), mode: .create)
        }
        #expect(error?.code.bare == .conflict(serverRevision: nil))
        #expect(error?.hasSameBytes == isSame)
    }

    // MARK: - A restored revision

    private static let wanted = FileMetadata.named(
        "/a", revision: "000000001", data: data("the old text"))
    private static let current = FileMetadata.named("/a", revision: "000000002", data: data("now"))
    private static let restored = FileMetadata.named(
        "/a", revision: "000000003", data: data("the old text"))

    private func restore(
        saying answer: FileMetadata, listing entries: [FileMetadata]
    ) async throws -> RemoteFile {
        let dropbox = try ScriptedDropbox { request in
            request.target == "/2/files/restore"
                ? .json(answer)
                : .json(ListRevisionsResult(isDeleted: false, entries: entries, hasMore: false))
        }
        return try await dropbox.store.restore(
            path("/a"), to: Revision(rawValue: Self.wanted.revision))
    }

    @Test func aRestoredRevisionHasItsBytes() async throws {
        let file = try await restore(
            saying: Self.restored, listing: [Self.restored, Self.current, Self.wanted])
        #expect(file.revision.rawValue == Self.restored.revision)
    }

    @Test func whatWasNotRestoredIsNotBelieved() async throws {
        let elsewhere = FileMetadata.named(
            "/b", revision: Self.restored.revision, data: data("the old text"))
        let lies: [(answer: FileMetadata, listed: [FileMetadata])] = [
            // Of nothing that is in the club, of another revision, of another path.
            (Self.restored, [Self.current, Self.wanted]),
            (Self.current, [Self.current, Self.wanted]),
            (elsewhere, [elsewhere, Self.current, Self.wanted]),
        ]
        for (answer, listed) in lies {
            await expectFailure(.withoutEffect) {
                _ = try await restore(saying: answer, listing: listed)
            }
        }
    }
}
