import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Servers whose listings lag behind, and servers and gateways that reject a write without a reason, or perform it
/// twice: no text of another member is lost, and what was done is not denied.
@Suite struct StaleListingTests {
    /// What a stand-in is sent passes a gateway first.
    private final class Gateway: Sendable {
        struct State {
            weak var standIn: WebDAVStandIn?
            /// The responses to the next requests of a method, instead of the server's.
            var instead: [String: [String]] = [:]
            /// Listings of a path show this state of it.
            var frozen: [String: [LoopbackStep]] = [:]
            /// Methods whose next request is performed twice.
            var twice: Set<String> = []
        }

        let state = Mutex(State())

        func answer(_ request: LoopbackRequest) -> [LoopbackStep]? {
            let (standIn, status, frozen, isTwice) = state.withLock { state in
                var status: String?
                if state.instead[request.method]?.isEmpty == false {
                    status = state.instead[request.method]?.removeFirst()
                }
                let frozen = request.method == "PROPFIND" ? state.frozen[request.target] : nil
                return (
                    state.standIn, status, frozen, state.twice.remove(request.method) != nil
                )
            }
            if let status { return [.answer(status)] }
            if let frozen { return frozen }
            guard isTwice, let standIn else { return nil }
            _ = standIn.answer(request)
            return standIn.answer(request)
        }

        func answerNext(_ method: String, with statuses: String...) {
            state.withLock { $0.instead[method] = statuses }
        }

        func performTwice(_ method: String) {
            state.withLock { _ = $0.twice.insert(method) }
        }

        /// From now on, listings show a path as it is now.
        func freeze(_ path: String) {
            guard let standIn = state.withLock({ $0.standIn }) else { return }
            let place = standIn.manners.base + path
            let node = standIn.state.withLock { $0.nodes[place] }
            let answer: [LoopbackStep]
            if let node {
                answer = .multistatus(standIn.response(place, node))
            } else {
                answer = [.answer("404 Not Found")]
            }
            state.withLock { $0.frozen[place] = answer }
        }
    }

    /// A server whose capabilities are known, behind a gateway.
    private static func makeServer(
        _ manners: WebDAVStandIn.Manners = .init()
    ) async throws -> (WebDAVStandIn, Gateway) {
        let gateway = Gateway()
        var manners = manners
        manners.interception = { gateway.answer($0) }
        let standIn = try await WebDAVStandIn.probed(manners)
        gateway.state.withLock { $0.standIn = standIn }
        return (standIn, gateway)
    }

    // MARK: - A new note

    @Test(arguments: [RemoteWriteMode.create, .add])
    func aNoteThatAListingDoesNotShowYetIsNotReplaced(_ mode: RemoteWriteMode) async throws {
        let (standIn, gateway) = try await Self.makeServer()
        standIn.plant("hers, the only copy", at: "/a")
        gateway.answerNext("PROPFIND", with: "404 Not Found")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(data("mine"), at: path("/a"), mode: mode)
        }
        #expect(standIn.contents(of: "/a") == "hers, the only copy")
    }

    /// However long it lags: the bytes are asked for before a write without a condition.
    @Test func aNoteThatNoListingShowsIsNotReplaced() async throws {
        let (standIn, gateway) = try await Self.makeServer()
        gateway.freeze("/a")
        standIn.plant("hers, the only copy", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(data("mine"), at: path("/a"), mode: .create)
        }
        #expect(standIn.contents(of: "/a") == "hers, the only copy")
    }

    /// As some editors save: the note is removed, and a moment later it is there again.
    @Test func aNoteThatIsRemovedAndWrittenAgainMeanwhileIsNotReplaced() async throws {
        let (standIn, _) = try await Self.makeServer()
        standIn.plant("her first", at: "/a")
        let next = standIn.requests.count
        standIn.before(next + 1) { $0.uproot("/a") }
        standIn.before(next + 2) { $0.plant("her second, the only copy", at: "/a") }
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(data("mine"), at: path("/a"), mode: .create)
        }
        #expect(standIn.contents(of: "/a") == "her second, the only copy")
    }

    @Test func aNewNoteIsWrittenAfterOneUnfoundedRefusal() async throws {
        let (standIn, gateway) = try await Self.makeServer()
        gateway.answerNext("PUT", with: "412 Precondition Failed")
        _ = try await standIn.store.put(data("mine"), at: path("/a"), mode: .create)
        #expect(standIn.contents(of: "/a") == "mine")
        let puts = standIn.requests.filter { $0.method == "PUT" && $0.target == "/dav/a" }
        #expect(puts.map { $0["If-None-Match"] } == ["*", "*"])
    }

    // MARK: - An edit

    @Test(arguments: [true, false], [WebDAVStandIn.Manners.Tags.strong, .weak])
    func aTextThatAListingDoesNotShowYetIsNotReplaced(
        honorsIf: Bool, _ tags: WebDAVStandIn.Manners.Tags
    ) async throws {
        // A weak tag needs an `If`.
        guard honorsIf || tags == .strong else { return }
        let (standIn, gateway) = try await Self.makeServer(.init(tags: tags, honorsIf: honorsIf))
        standIn.plant("base", at: "/a")
        let base = try await standIn.store.fetch(path("/a")).file
        gateway.freeze("/a")
        standIn.plant("hers, the only copy", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(
                data("mine"), at: path("/a"),
                mode: .update(base.revision, contentHash: base.contentHash))
        }
        #expect(standIn.contents(of: "/a") == "hers, the only copy")
    }

    /// The bytes that the tag stood for are not known.
    @Test func aRefusedEditOfATextThatWasNotReadIsAConflict() async throws {
        let (standIn, _) = try await Self.makeServer(.init(refusesIfMatch: true, honorsIf: false))
        standIn.plant("base", at: "/a")
        let base = try await standIn.store.metadata(of: path("/a"))
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(
                data("mine"), at: path("/a"), mode: .update(base.revision))
        }
        #expect(standIn.contents(of: "/a") == "base")
    }

    // MARK: - A deletion

    @Test(arguments: [true, false])
    func whatAListingDoesNotShowYetIsNotRemoved(isHashKnown: Bool) async throws {
        let (standIn, gateway) = try await Self.makeServer()
        standIn.plant("base", at: "/a")
        var base = try await standIn.store.metadata(of: path("/a"))
        if isHashKnown { base = try await standIn.store.fetch(path("/a")).file }
        gateway.freeze("/a")
        standIn.plant("hers, the only copy", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) {
            try await standIn.store.delete(
                path("/a"), ifRevision: base.revision, contentHash: base.contentHash)
        }
        #expect(standIn.contents(of: "/a") == "hers, the only copy")
    }

    @Test func atAServerThatRefusesEachConditionTheSameBytesAreRemoved() async throws {
        let (standIn, _) = try await Self.makeServer(.init(refusesIfMatch: true))
        standIn.plant("base", at: "/a")
        let base = try await standIn.store.fetch(path("/a")).file
        try await standIn.store.delete(
            path("/a"), ifRevision: base.revision, contentHash: base.contentHash)
        #expect(standIn.contents(of: "/a") == nil)
    }

    // MARK: - Performed twice

    @Test(arguments: [true, false])
    func aMoveThatIsPerformedTwiceIsDone(isHashKnown: Bool) async throws {
        let (standIn, gateway) = try await Self.makeServer()
        standIn.plant("words", at: "/a")
        if isHashKnown { _ = try await standIn.store.fetch(path("/a")) }
        gateway.performTwice("MOVE")
        let moved = try await standIn.store.move(path("/a"), to: path("/b"))
        #expect(moved.path == (try path("/b")))
        #expect(standIn.paths == ["/b", "/first"])
    }

    @Test(arguments: [true, false])
    func aDeletionThatIsPerformedTwiceIsDone(isOfRevision: Bool) async throws {
        let (standIn, gateway) = try await Self.makeServer()
        standIn.plant("words", at: "/a")
        let file = try await standIn.store.fetch(path("/a")).file
        gateway.performTwice("DELETE")
        try await standIn.store.delete(
            path("/a"), ifRevision: isOfRevision ? file.revision : nil)
        #expect(standIn.paths == ["/first"])
    }

    /// Nobody can tell whose it is, but it is the same text.
    @Test func aNewNoteThatIsWrittenTwiceIsAConflictWithTheSameBytes() async throws {
        let (standIn, gateway) = try await Self.makeServer()
        gateway.performTwice("PUT")
        let error = await failure {
            _ = try await standIn.store.put(data("mine"), at: path("/a"), mode: .create)
        }
        #expect(error?.code.bare == .conflict(serverRevision: nil))
        #expect(error?.hasSameBytes == true)
        standIn.plant("hers", at: "/b")
        let other = await failure {
            _ = try await standIn.store.put(data("mine"), at: path("/b"), mode: .create)
        }
        #expect(other?.code.bare == .conflict(serverRevision: nil))
        #expect(other?.hasSameBytes == false)
    }

    // MARK: - A move

    @Test func aMoveThatIsRefusedWithoutAReasonIsSentOnceMore() async throws {
        let (standIn, gateway) = try await Self.makeServer()
        standIn.plant("words", at: "/a")
        gateway.answerNext("MOVE", with: "412 Precondition Failed")
        _ = try await standIn.store.move(path("/a"), to: path("/b"))
        #expect(standIn.paths == ["/b", "/first"])
        let moves = standIn.requests.filter { $0.method == "MOVE" }
        #expect(moves.map { $0["Overwrite"] } == ["F", "F"])
    }

    @Test func aMoveThatIsRefusedTwiceIsNoTakenName() async throws {
        let (standIn, gateway) = try await Self.makeServer()
        standIn.plant("words", at: "/a")
        gateway.answerNext("MOVE", with: "412 Precondition Failed", "412 Precondition Failed")
        await expectFailure(.refused) {
            _ = try await standIn.store.move(path("/a"), to: path("/b"))
        }
        #expect(standIn.paths == ["/a", "/first"])
    }

    // MARK: - A refused look

    /// A look has no condition that could fail.
    @Test func aRefusedLookAtWhatWasWrittenIsNoConflict() async throws {
        let (standIn, gateway) = try await Self.makeServer()
        let refusal = "412 Precondition Failed"
        gateway.answerNext("PROPFIND", with: refusal)
        await expectFailure(.badAnswer) {
            _ = try await standIn.store.put(data("mine"), at: path("/a"), mode: .create)
        }
        #expect(standIn.contents(of: "/a") == "mine")
        // It is recognized as our own.
        _ = try await standIn.store.put(data("mine"), at: path("/a"), mode: .create)
        let next = standIn.requests.count
        // After the look at the source, and the move.
        standIn.before(next + 1) { _ in gateway.answerNext("PROPFIND", with: refusal) }
        await expectFailure(.badAnswer) {
            _ = try await standIn.store.move(path("/a"), to: path("/b"))
        }
        _ = try await standIn.store.move(path("/a"), to: path("/b"))
        #expect(standIn.contents(of: "/b") == "mine")
    }
}

/// A server to which the spellings of a name are one name, as on the disks of some systems.
@Suite struct RespelledNameTests {
    /// In front of a stand-in: requests for any spelling get that of the disk, and a `MOVE` to another one changes it.
    private final class Caseless: Sendable {
        struct State {
            weak var standIn: WebDAVStandIn?
            var spelling: String
            var refusesRespelling = false
        }

        let state: Mutex<State>

        init(_ spelling: String) { state = Mutex(State(spelling: spelling)) }

        func answer(_ request: LoopbackRequest) -> [LoopbackStep]? {
            state.withLock { state in
                guard let standIn = state.standIn else { return nil }
                let base = standIn.manners.base + "/"
                let wanted = String(request.target.dropFirst(base.count)).removingPercentEncoding
                guard request.target.hasPrefix(base), let wanted,
                    Self.areOne(wanted, state.spelling)
                else { return nil }
                if request.method == "MOVE" {
                    let destination = request["Destination"].flatMap(URL.init(string:))?
                        .path(percentEncoded: false).split(separator: "/").last
                    guard let destination, Self.areOne(String(destination), state.spelling) else {
                        return nil
                    }
                    if state.refusesRespelling { return [.answer("412 Precondition Failed")] }
                    let text = standIn.contents(of: "/" + state.spelling) ?? ""
                    standIn.uproot("/" + state.spelling)
                    state.spelling = String(destination)
                    standIn.plant(text, at: "/" + state.spelling)
                    return [.answer("201 Created")]
                }
                guard request.method == "PROPFIND" else { return nil }
                let place = base + state.spelling
                guard let node = standIn.state.withLock({ $0.nodes[place] }) else { return nil }
                return .multistatus(standIn.response(place, node))
            }
        }

        private static func areOne(_ one: String, _ other: String) -> Bool {
            one.lowercased() == other.lowercased()
        }
    }

    private func makeServer(
        _ spelling: String
    ) async throws -> (WebDAVStandIn, Caseless) {
        let caseless = Caseless(spelling)
        let standIn = try await WebDAVStandIn.probed(
            .init(interception: { caseless.answer($0) }))
        standIn.plant("plan", at: "/" + spelling)
        caseless.state.withLock { $0.standIn = standIn }
        return (standIn, caseless)
    }

    @Test func anotherCaseIsNoTakenName() async throws {
        let (standIn, _) = try await makeServer("Plan.txt")
        let moved = try await standIn.store.move(path("/Plan.txt"), to: path("/plan.txt"))
        #expect(moved.path == (try path("/plan.txt")))
        #expect(standIn.paths == ["/first", "/plan.txt"])
    }

    @Test func aRefusedRespellingIsNoTakenName() async throws {
        let (standIn, caseless) = try await makeServer("Plan.txt")
        caseless.state.withLock { $0.refusesRespelling = true }
        await expectFailure(.refused) {
            _ = try await standIn.store.move(path("/Plan.txt"), to: path("/plan.txt"))
        }
        #expect(standIn.paths == ["/Plan.txt", "/first"])
    }

    /// At other servers the two are two.
    @Test func anotherNoteInAnotherCaseIsATakenName() async throws {
        let standIn = try await WebDAVStandIn.probed()
        standIn.plant("one", at: "/Plan.txt")
        standIn.plant("two", at: "/plan.txt")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.move(path("/Plan.txt"), to: path("/plan.txt"))
        }
        #expect(standIn.contents(of: "/Plan.txt") == "one")
        #expect(standIn.contents(of: "/plan.txt") == "two")
    }

    @Test func spellingsAreComparedByBytes() throws {
        let composed = try path("/caf\u{E9}.txt")
        let decomposed = try path("/cafe\u{301}.txt")
        #expect(WebDAVStore.isRespelling(composed, decomposed))
        #expect(WebDAVStore.isRespelling(try path("/f/A"), try path("/f/a")))
        #expect(!WebDAVStore.isRespelling(composed, composed))
        #expect(!WebDAVStore.isRespelling(try path("/f/A"), try path("/g/a")))
        #expect(!WebDAVStore.isRespelling(try path("/A"), try path("/b")))
    }
}
