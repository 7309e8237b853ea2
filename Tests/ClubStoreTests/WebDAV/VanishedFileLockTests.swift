import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// A file that another member removes between the look at it and the lock on it: the lock makes an empty
/// file (RFC 4918 §7.3), which must not stay.
@Suite struct VanishedFileLockTests {
    /// Who has which path locked.
    private final class Locks: Sendable {
        struct State {
            weak var standIn: WebDAVStandIn?
            var tokens: [String: String] = [:]
            /// A path that is removed just before it is locked.
            var vanishing: String?
            /// Whether each lock is said to have made its file.
            var saysCreated = false
        }

        let state = Mutex(State())

        /// The least of RFC 4918 §6 in front of a stand-in that knows no locks.
        func answer(_ request: LoopbackRequest) -> [LoopbackStep]? {
            let (standIn, token, isVanishing) = state.withLock { state in
                (
                    state.standIn, state.tokens[request.target],
                    request.method == "LOCK" && state.vanishing == request.target
                )
            }
            guard let standIn else { return nil }
            let name = String(request.target.dropFirst(standIn.manners.base.count))
            if isVanishing {
                state.withLock { $0.vanishing = nil }
                standIn.uproot(name)
            }
            switch request.method {
            case "LOCK" where token != nil: return [.answer("423 Locked")]
            case "LOCK":
                let isNew = standIn.contents(of: name) == nil
                if isNew { standIn.plant("", at: name) }
                let token = "urn:uuid:\(UUID().uuidString)"
                let saysCreated = state.withLock { state in
                    state.tokens[request.target] = token
                    return isNew || state.saysCreated
                }
                return [.answer(saysCreated ? "201 Created" : "200 OK", ["Lock-Token: <\(token)>"])]
            case "UNLOCK":
                state.withLock { $0.tokens[request.target] = nil }
                return [.answer("204 No Content")]
            case "PUT", "DELETE":
                guard let token, request["If"]?.contains(token) != true else { return nil }
                return [.answer("423 Locked")]
            default: return nil
            }
        }
    }

    /// A server that ignores conditions and knows locks.
    private func makeStandIn(
        tags: WebDAVStandIn.Manners.Tags = .coarse, date: String? = nil
    ) throws -> (WebDAVStandIn, Locks) {
        let locks = Locks()
        let standIn = try WebDAVStandIn(
            .init(
                tags: tags, honorsConditions: false, date: date,
                interception: { locks.answer($0) }))
        locks.state.withLock { $0.standIn = standIn }
        return (standIn, locks)
    }

    @Test func itsEmptyFileIsRemovedBeforeTheTextIsSaved() async throws {
        let (standIn, locks) = try makeStandIn()
        let file = try await standIn.store.put(data("one"), at: path("/a"), mode: .create)
        #expect(standIn.store.capabilities.known?.locks == true)
        _ = standIn.newCalls()
        locks.state.withLock { $0.vanishing = standIn.manners.base + "/a" }
        _ = try await standIn.store.put(
            data("two"), at: path("/a"),
            mode: .update(file.revision, contentHash: file.contentHash))
        // The text is new again: nobody else's is there, and not our lock.
        #expect(standIn.contents(of: "/a") == "two")
        #expect(
            standIn.newCalls().prefix(7) == [
                "PROPFIND /a", "LOCK /a", "PROPFIND /a", "DELETE /a", "UNLOCK /a", "PROPFIND /a",
                "PUT /a",
            ])
        #expect(locks.state.withLock { $0.tokens.isEmpty })
    }

    /// A gateway that answers each success with 201: the note is not a file that the lock has made.
    @Test func aLockThatIsSaidToBeOnANewFileRemovesNoNote() async throws {
        let (standIn, locks) = try makeStandIn(date: "Sun, 13 Sep 2020 12:26:40 GMT")
        let file = try await standIn.store.put(data("one"), at: path("/a"), mode: .create)
        #expect(standIn.store.capabilities.known?.locks == true)
        locks.state.withLock { $0.saysCreated = true }
        _ = standIn.newCalls()
        standIn.plant("two", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(
                data("our"), at: path("/a"),
                mode: .update(file.revision, contentHash: file.contentHash))
        }
        await expectFailure(.conflict(serverRevision: nil)) {
            try await standIn.store.delete(
                path("/a"), ifRevision: file.revision, contentHash: file.contentHash)
        }
        #expect(standIn.contents(of: "/a") == "two")
        #expect(!standIn.newCalls().contains("DELETE /a"))
        #expect(locks.state.withLock { $0.tokens.isEmpty })
    }

    /// Where conditions are ignored, a deletion is locked as a write is: nobody writes between the look and the
    /// deletion. Nothing was probed before.
    @Test func aDeletionSparesWhatIsWrittenJustBefore() async throws {
        let (standIn, locks) = try makeStandIn(tags: .strong)
        standIn.plant("one", at: "/a")
        let (file, _) = try await standIn.store.fetch(path("/a"))
        #expect(standIn.store.capabilities.known == nil)
        _ = standIn.newCalls()
        try await standIn.store.delete(
            path("/a"), ifRevision: file.revision, contentHash: file.contentHash)
        let calls = standIn.newCalls()
        let lock = try #require(calls.firstIndex(of: "LOCK /a"))
        let deletion = try #require(calls.firstIndex(of: "DELETE /a"))
        #expect(lock < deletion && calls[lock...].dropFirst().first == "PROPFIND /a")
        #expect(standIn.contents(of: "/a") == nil)
        #expect(locks.state.withLock { $0.tokens.isEmpty })
    }
}
