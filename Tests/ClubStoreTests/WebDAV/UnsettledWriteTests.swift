import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// Writes that break off: what the server has then is ours, and no conflict; what anybody else has
/// written is one.
@Suite struct UnsettledWriteTests {
    private let standIn: WebDAVStandIn
    private let old: RemoteFile

    init() async throws {
        standIn = try WebDAVStandIn()
        // Finds out what the server can do.
        _ = try await standIn.store.put(data("1st"), at: path("/first"), mode: .add)
        standIn.plant("old", at: "/a")
        old = try await standIn.store.metadata(of: path("/a"))
    }

    /// One attempt to replace what was there at first.
    private func save(_ text: String) async throws {
        _ = try await standIn.store.put(data(text), at: path("/a"), mode: .update(old.revision))
    }

    /// An attempt of which so many bytes are kept, and which is told to have failed.
    private func saveInVain(_ text: String, keeping count: Int) async throws {
        standIn.breakPuts(.refusing("408 Request Timeout", keeping: count))
        await expectFailure(.timedOut) { try await save(text) }
    }

    @Test(arguments: [0, 5, 10])
    func halfOfOurOwnBytesAreNobodys(_ count: Int) async throws {
        standIn.breakPuts(.keeping(count))
        try await save("a new text")
        #expect(standIn.contents(of: "/a") == "a new text")
    }

    @Test func aConnectionThatBreaksEachTimeIsNoConflict() async throws {
        standIn.breakPuts(.keeping(1), .keeping(2), .keeping(3), .keeping(4))
        await expectFailure(.offline) { try await save("a new text") }
        #expect(standIn.contents(of: "/a") == "a ne")
        try await save("a new text")
        #expect(standIn.contents(of: "/a") == "a new text")
    }

    @Test(arguments: [0, 5, 10])
    func whatAMemberWritesMeanwhileIsNoConflictWithIt(_ count: Int) async throws {
        try await saveInVain("a new text", keeping: count)
        let saved = try await standIn.store.put(
            data("another text"), at: path("/a"), mode: .update(old.revision))
        #expect(standIn.contents(of: "/a") == "another text")
        #expect(try await standIn.store.metadata(of: path("/a")) == saved)
    }

    @Test(arguments: ["408 Request Timeout", "507 Insufficient Storage"])
    func whatTheServerGaveUpOnIsOursToo(_ status: String) async throws {
        standIn.breakPuts(.refusing(status, keeping: 4))
        _ = await failure { try await save("a new text") }
        try await save("a new text")
        #expect(standIn.contents(of: "/a") == "a new text")
    }

    @Test func whatSomebodyElseMadeOfItIsAConflict() async throws {
        try await saveInVain("a new text", keeping: 5)
        standIn.plant("a new idea", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) { try await save("a new text") }
        #expect(standIn.contents(of: "/a") == "a new idea")
        // It was told; now it is about that.
        await expectFailure(.conflict(serverRevision: nil)) { try await save("a new text") }
    }

    @Test func whatSomebodyElseMadeShorterIsAConflictUnlessOursMayHaveArrived() async throws {
        standIn.plant("a new", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) { try await save("a new text") }
        #expect(standIn.contents(of: "/a") == "a new")
    }

    @Test func aWriteThatEndedWellIsForgotten() async throws {
        try await saveInVain("a new text", keeping: 5)
        try await save("a new text")
        standIn.plant("a new", at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) { try await save("a new text") }
        #expect(standIn.contents(of: "/a") == "a new")
    }

    @Test func aPhotoThatBrokeOffIsAddedAfterAll() async throws {
        let folder = try TemporaryFolder()
        let photo = try folder.write(data("0123456789"), to: "photo")
        standIn.breakPuts(.refusing("408 Request Timeout", keeping: 3))
        await expectFailure(.timedOut) {
            _ = try await Recorder.upload(photo, to: path("/photo"), in: standIn.store)
        }
        _ = try await Recorder.upload(photo, to: path("/photo"), in: standIn.store)
        #expect(standIn.contents(of: "/photo") == "0123456789")
    }

    @Test func onlySoManyAreKept() throws {
        let writes = UnsettledWrites()
        let write = UnsettledWrite(byteCount: 1, hash: "h", data: nil)
        for index in 0..<20 { writes.note(write, at: try path("/\(index)")) }
        #expect(writes.writes(at: try path("/0")).isEmpty)
        #expect(writes.writes(at: try path("/19")) == [write])
        writes.note(write, at: try path("/19"))
        #expect(writes.writes(at: try path("/19")) == [write])
    }
}
