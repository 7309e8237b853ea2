import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// What was found out about a server need not be true of the one that answers today.
@Suite struct ReplacedServerTests {
    /// In front of a stand-in: what takes its place, on request.
    private final class Replacement: Sendable {
        struct State {
            weak var standIn: WebDAVStandIn?
            var ignoresConditions = false
            var isFull = false
            /// Its name in the properties of `/named`.
            var name = "Old/1"
            var date = Date()
        }

        let state = Mutex(State())

        func answer(_ request: LoopbackRequest) -> [LoopbackStep]? {
            let (standIn, ignores, isFull, name) = state.withLock {
                ($0.standIn, $0.ignoresConditions, $0.isFull, $0.name)
            }
            if request.target.hasSuffix("/named") { return Self.properties(named: name) }
            guard request.method == "PUT", let standIn else { return nil }
            if isFull, request.target.contains(TemporaryName.prefix) {
                return [.answer("507 Insufficient Storage")]
            }
            let isConditional = ["If", "If-Match", "If-None-Match"].contains {
                request[$0] != nil
            }
            guard ignores, isConditional else { return nil }
            standIn.plant(
                request.body, at: String(request.target.dropFirst(standIn.manners.base.count)))
            return [.answer("204 No Content")]
        }

        private static func properties(named name: String) -> [LoopbackStep] {
            let body = """
                <d:multistatus xmlns:d="DAV:"><d:response><d:href>/dav/named</d:href><d:propstat>\
                <d:prop><d:resourcetype/><d:getetag>"1"</d:getetag>\
                <d:getcontentlength>1</d:getcontentlength></d:prop>\
                <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
                """
            return [
                .answer(
                    "207 Multi-Status", ["Content-Type: application/xml", "Server: \(name)"],
                    body: body)
            ]
        }
    }

    private let replacement = Replacement()
    private let folder: TemporaryFolder
    private let standIn: WebDAVStandIn
    /// As the first run has seen it.
    private let file: RemoteFile

    init() async throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        standIn = try await WebDAVStandIn.probed(
            .init(interception: { [replacement] in replacement.answer($0) })
        ) { [replacement] configuration in
            configuration.capabilitiesFile = folder.url.appending(path: "abilities.json")
            configuration.clock.date = { replacement.state.withLock { $0.date } }
        }
        file = try await standIn.store.put(data("one"), at: path("/a"), mode: .add)
        replacement.state.withLock { [standIn] in $0.standIn = standIn }
        _ = standIn.newCalls()
    }

    private func nextRun() throws -> WebDAVStore { try WebDAVStore(standIn.store.configuration) }

    private func newMethods() -> [String] {
        standIn.newCalls().map { String($0.prefix { $0 != " " }) }
    }

    private var update: RemoteWriteMode { .update(file.revision, contentHash: file.contentHash) }

    @Test func oneThatIgnoresConditionsReplacesNoOther() async throws {
        replacement.state.withLock { $0.ignoresConditions = true }
        let next = try nextRun()
        #expect(next.writeProtection == .byServer)
        standIn.plant("hers, the only copy", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await next.put(data("two"), at: path("/a"), mode: update)
        }
        #expect(next.writeProtection == .byCheckingFirst)
        #expect(standIn.contents(of: "/a") == "hers, the only copy")
        standIn.plant("hers, too", at: "/b")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await next.put(data("mine"), at: path("/b"), mode: .create)
        }
        #expect(standIn.contents(of: "/b") == "hers, too")
        // Another run knows it.
        #expect(try nextRun().writeProtection == .byCheckingFirst)
    }

    @Test func theFirstWriteOfARunChecksWhatItReliesOn() async throws {
        let next = try nextRun()
        _ = try await next.put(data("two"), at: path("/a"), mode: update)
        #expect(newMethods() == ["PUT", "PUT", "PUT", "PUT", "DELETE", "PUT", "PROPFIND"])
        #expect(standIn.paths == ["/a", "/first"])
        _ = try await next.put(data("new"), at: path("/b"), mode: .add)
        #expect(newMethods() == ["PUT", "PROPFIND"])
        // A program that runs for days.
        replacement.state.withLock { $0.date += 90_000 }
        _ = try await next.put(data("new"), at: path("/c"), mode: .add)
        #expect(newMethods() == ["PUT", "PUT", "PUT", "PUT", "DELETE", "PUT", "PROPFIND"])
    }

    /// Where no temporary file can be stored, each write checks the path first.
    @Test func whatCannotBeCheckedIsNotReliedOn() async throws {
        replacement.state.withLock { $0.isFull = true }
        let next = try nextRun()
        let saved = try await next.put(data("2"), at: path("/a"), mode: update)
        #expect(standIn.contents(of: "/a") == "2")
        replacement.state.withLock { $0.ignoresConditions = true }
        standIn.plant("hers, the only copy", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await next.put(
                data("3"), at: path("/a"),
                mode: .update(saved.revision, contentHash: saved.contentHash))
        }
        #expect(standIn.contents(of: "/a") == "hers, the only copy")
    }

    @Test func oneOfAnotherNameIsProbedOnce() async throws {
        func answers(as name: String, in store: WebDAVStore) async throws {
            replacement.state.withLock { $0.name = name }
            _ = try await store.metadata(of: path("/named"))
        }
        let next = try nextRun()
        try await answers(as: "Old/1", in: next)
        _ = try await next.put(data("new"), at: path("/b"), mode: .add)
        for name in ["New/1", "Old/1", "New/1"] {
            try await answers(as: name, in: next)
            _ = newMethods()
            _ = try await next.put(data(name), at: path("/c"), mode: .overwrite)
            // Of a name that is known nothing is probed again: servers take turns.
            let isProbed = newMethods().contains("DELETE")
            #expect(isProbed == (standIn.requests.count { $0.target == "/dav/named" } == 2))
        }
        // The next run knows both.
        let later = try nextRun()
        try await answers(as: "New/1", in: later)
        #expect(!later.capabilities.signature.isNew)
        try await answers(as: "Newest/2", in: later)
        #expect(later.capabilities.signature.isNew)
    }
}
