import ClubStoreTestSupport
import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// A write is what the server shows afterwards: success without effect is a failure, and an effect
/// without a response is a success.
@Suite struct LyingGatewayTests {
    // MARK: - Success without effect

    @Test(
        arguments: StoreWrite.all,
        [
            FaultyWebDAV.Fault.page, .answers("201 Created", isPage: true),
            .answers("200 OK", isPage: false), .answers("201 Created", isPage: false),
            .answers("204 No Content", isPage: false),
        ])
    func whatTheServerDoesNotShowWasNotDone(
        _ write: StoreWrite, _ fault: FaultyWebDAV.Fault
    ) async throws {
        let (server, old) = try await StoreWrite.makeServer()
        server.set(fault, for: write.method)
        await expectFailure(.withoutEffect) { try await write.make(server.store, old) }
        #expect(server.standIn.contents(of: "/old") == "the old text")
        #expect(!write.isDone(at: server.standIn))
        // Nothing counts as done that was not.
        server.set(nil, for: write.method)
        try await write.make(server.store, old)
        #expect(write.isDone(at: server.standIn))
    }

    /// A sign-in page before the server's capabilities are known.
    @Test(
        arguments: zip(
            ["PUT", "MKCOL", "MOVE"],
            [StoreError.Code.badAnswer, .withoutEffect, .withoutEffect]))
    func aGatewayThatLiesFromTheFirstWriteOnIsNotBelieved(
        _ method: String, _ code: StoreError.Code
    ) async throws {
        let server = try FaultyWebDAV { $0.limits.directByteCount = 4 }
        server.set(.page, for: method)
        await expectFailure(code) {
            _ = try await server.store.put(data("a text"), at: path("/f/a"), mode: .add)
        }
        #expect(server.standIn.contents(of: "/f/a") == nil)
    }

    @Test(arguments: StoreWrite.all.filter { $0.method == "PUT" || $0.method == "MOVE" })
    func whatAMemberHasWrittenBehindTheLieIsAConflict(_ write: StoreWrite) async throws {
        let (server, old) = try await StoreWrite.makeServer()
        let place = write.effect["/new"] == nil ? "/old" : "/new"
        server.set(.page, for: write.method)
        server.after(write.method) { $0.plant("another text", at: place) }
        let error = await failure { try await write.make(server.store, old) }
        #expect(error?.code.bare == .conflict(serverRevision: nil))
        // A rename leaves the note where it was.
        if place == "/new" { #expect(server.standIn.contents(of: "/old") == "the old text") }
        #expect(server.standIn.contents(of: place) == "another text")
    }

    // MARK: - A concurrent write

    /// Our text was there and was replaced: both sides are kept, theirs on the server and ours in the
    /// editor.
    @Test(
        arguments: [WebDAVStandIn.Manners.Tags.strong, .coarse, .none], ["another text", "another"])
    func whatReplacesAWriteAtOnceIsAConflict(
        _ tags: WebDAVStandIn.Manners.Tags, _ theirs: String
    ) async throws {
        for tellsTag in [true, false] {
            let (server, old) = try await StoreWrite.makeServer(
                .init(tags: tags, tellsTagOfPut: tellsTag))
            server.after("PUT") { $0.plant(theirs, at: "/old") }
            await expectFailure(.conflict(serverRevision: nil)) {
                _ = try await server.store.put(
                    data("the new text"), at: old.path, mode: .update(old.revision))
            }
            #expect(server.standIn.contents(of: "/old") == theirs)
        }
    }

    /// Some servers report a missing `LOCK` like a server error.
    @Test(arguments: ["501 Not Implemented", "405 Method Not Allowed", "403 Forbidden"])
    func aServerWithoutLocksIsWrittenTo(_ status: String) async throws {
        let standIn = try WebDAVStandIn(
            .init(
                tags: .coarse,
                interception: { $0.method == "LOCK" ? [.answer(status)] : nil }))
        let file = try await standIn.store.put(data("one"), at: path("/a"), mode: .add)
        _ = try await standIn.store.put(
            data("two"), at: path("/a"),
            mode: .update(file.revision, contentHash: file.contentHash))
        #expect(standIn.contents(of: "/a") == "two")
    }

    /// A complete text may have been seen since: a new note with that name is another note.
    @Test func aWholeTextOfAnEarlierRunIsNotReplacedByANewNote() async throws {
        let folder = try TemporaryFolder()
        let (server, _) = try await StoreWrite.makeServer()
        var configuration = server.store.configuration
        configuration.unconfirmedWritesFolder = folder.url
        let first = try WebDAVStore(configuration)
        // Probes the server.
        _ = try await first.put(data("2nd"), at: path("/second"), mode: .add)
        server.set(.cutsTheAnswer, for: "PUT")
        server.after("PUT") { _ in server.set(.cutsTheAnswer, for: "PROPFIND") }
        _ = await failure {
            _ = try await first.put(data("the new text"), at: path("/new"), mode: .add)
        }
        server.set(nil, for: "PUT")
        server.set(nil, for: "PROPFIND")
        #expect(server.standIn.contents(of: "/new") == "the new text")
        let copy = try folder.copyWithoutLocks()
        configuration.unconfirmedWritesFolder = copy.url
        let next = try WebDAVStore(configuration)
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await next.put(data("another text"), at: path("/new"), mode: .add)
        }
        #expect(server.standIn.contents(of: "/new") == "the new text")
    }

    @Test func whatIsRemovedAtOnceWasNotSaved() async throws {
        let (server, old) = try await StoreWrite.makeServer()
        server.after("PUT") { $0.uproot("/old") }
        let error = await failure {
            _ = try await server.store.put(
                data("the new text"), at: old.path, mode: .update(old.revision))
        }
        #expect(error != nil)
    }

    /// Apache's tags: the probe gets three different ones, and a rival's write in the tick of our
    /// own gets ours.
    @Test(arguments: [false, true])
    func anotherTextOfTheSameTickIsAConflict(_ tellsTagOfPut: Bool) async throws {
        let standIn = try WebDAVStandIn(
            .init(
                tags: .microseconds(oneTickFrom: 4), tellsTagOfPut: tellsTagOfPut,
                date: "Sun, 13 Sep 2020 12:26:40 GMT"))
        let ours = try await standIn.store.put(data("ours 1"), at: path("/a"), mode: .add)
        standIn.plant("hers 1", at: "/a")
        #expect(try await standIn.store.metadata(of: ours.path).revision == ours.revision)
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(
                data("ours 2"), at: ours.path,
                mode: .update(ours.revision, contentHash: ours.contentHash))
        }
        #expect(standIn.contents(of: "/a") == "hers 1")
    }

    /// Second-based tags: an edit is based on what was read or saved for it, not on what was read
    /// later for something else.
    @Test(arguments: [false, true])
    func anotherTextOfTheSameSecondThatWasSeenInPassingIsAConflict(_ wasSaved: Bool) async throws {
        let (server, old) = try await StoreWrite.makeServer(.init(tags: .coarse))
        var base = old
        if wasSaved {
            base = try await server.store.put(
                data("the new text"), at: old.path, mode: .update(old.revision))
        } else {
            base = try await server.store.fetch(old.path).file
        }
        server.standIn.plant("another text", at: "/old")
        _ = try await server.store.list(.root)
        #expect(try await server.store.fetch(old.path).data == data("another text"))
        for _ in 0..<2 {
            await expectFailure(.conflict(serverRevision: nil)) {
                _ = try await server.store.put(
                    data("what is typed on"), at: old.path,
                    mode: .update(base.revision, contentHash: base.contentHash))
            }
            #expect(server.standIn.contents(of: "/old") == "another text")
        }
    }
}
