import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// Writes that the server has performed although its response was lost or replaced.
@Suite struct LostAnswerTests {
    @Test(
        arguments: StoreWrite.all,
        [
            FaultyWebDAV.Fault.cutsTheAnswer, .tellsInstead("500 Internal Server Error"),
            .tellsInstead("502 Bad Gateway"), .tellsInstead("504 Gateway Timeout"),
        ])
    func whatTheServerShowsWasDone(_ write: StoreWrite, _ fault: FaultyWebDAV.Fault) async throws {
        for times in [1, .max] {
            let (server, old) = try await StoreWrite.makeServer()
            server.set(fault, for: write.method, times: times)
            do {
                try await write.make(server.store, old)
            } catch {
                Issue.record(error, "\(times == 1 ? "once" : "each time")")
            }
            #expect(write.isDone(at: server.standIn))
        }
    }

    /// Checking is impossible at first; once the connection is back, the same write does not conflict with
    /// itself.
    @Test(arguments: StoreWrite.all)
    func theSameAgainIsNoConflictWithItself(_ write: StoreWrite) async throws {
        let (server, old) = try await StoreWrite.makeServer()
        server.set(.cutsTheAnswer, for: write.method)
        server.after(write.method) { _ in server.set(.cutsTheAnswer, for: "PROPFIND") }
        _ = await failure { try await write.make(server.store, old) }
        // Of a write in two steps, only the first was performed.
        let isOneStep =
            write.effect["/new/note"] == nil && write.testDescription != "a large upload"
        if isOneStep { #expect(write.isDone(at: server.standIn)) }
        server.set(nil, for: write.method)
        server.set(nil, for: "PROPFIND")
        try await write.make(server.store, old)
        #expect(write.isDone(at: server.standIn))
    }

    // MARK: - The error after a rejection

    /// 409 means that a folder is missing or a file in its place. If neither is true, the error does
    /// not mention it.
    @Test(arguments: ["409 Conflict", "412 Precondition Failed"])
    func aRefusalIsNoConflictWithANoteThatIsNotThere(_ status: String) async throws {
        let (server, _) = try await StoreWrite.makeServer()
        server.set(.answers(status, isPage: false), for: "PUT")
        let error = await failure {
            _ = try await server.store.put(data("text"), at: path("/new"), mode: .add)
        }
        #expect(error?.code.bare != .conflict(serverRevision: nil))
    }

    @Test(arguments: ["409 Conflict", "412 Precondition Failed"])
    func aRefusedDeletionIsNoConflictWithAnotherName(_ status: String) async throws {
        let (server, old) = try await StoreWrite.makeServer()
        server.set(.answers(status, isPage: false), for: "DELETE")
        let error = await failure { try await server.store.delete(old.path) }
        #expect(error?.code.bare != .conflict(serverRevision: nil))
        #expect(error?.path == old.path)
    }

    @Test func aPageInsteadOfATextIsNoChange() async throws {
        let (server, old) = try await StoreWrite.makeServer()
        server.set(.page, for: "GET")
        await expectFailure(.badAnswer) { _ = try await server.store.fetch(old.path) }
        server.set(.answers("302 Found", isPage: false), for: "GET")
        await expectFailure(.badAnswer) { _ = try await server.store.fetch(old.path) }
    }
}
