import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import ClubLibrary

/// Changes that the club has refused, and what the person does next.
@Suite struct RefusedChangeTests {
    let store = InMemoryStore()
    let test = TestLibrary()

    private func send() async throws { try await OutboxSender(test.copy, to: store).run() }

    private func problems() throws -> [Bool] {
        try test.copy.waitingChanges().map { $0.problem != nil }
    }

    private func text(_ path: String) -> String? {
        store.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A new note that the full club does not take.
    private func refuse() async throws -> RemoteFile {
        let note = try #require(
            try test.copy.enqueue(
                .write(Data("one".utf8), at: makePath("/a.txt"), mode: .add)))
        store.failNext(.put, with: .overQuota)
        try await send()
        #expect(try problems() == [true])
        return note
    }

    private func save(_ text: String, over note: RemoteFile) throws -> RemoteFile {
        try #require(
            try test.copy.enqueue(
                .write(
                    Data(text.utf8), at: note.path,
                    mode: .update(note.revision, contentHash: note.contentHash))))
    }

    @Test func aSaveHasTheRefusedOneSentAgainBeforeIt() async throws {
        let note = try await refuse()
        _ = try save("two", over: note)
        #expect(try problems() == [false, false])
        try await send()
        #expect(text("/a.txt") == "two")
        #expect(try test.copy.waitingChanges().isEmpty)
        #expect(store.calls.count { $0.operation == .put } == 3)
    }

    /// The last save takes the place of one that was held up.
    @Test func soDoesASaveAfterOneThatWaitsBehindIt() async throws {
        let note = try await refuse()
        let second = try save("two", over: note)
        store.failNext(.put, with: .overQuota)
        try await send()
        #expect(try problems() == [true, false])
        _ = try save("three", over: second)
        #expect(try problems() == [false, false])
        try await send()
        #expect(text("/a.txt") == "three")
        #expect(try test.copy.waitingChanges().isEmpty)
    }

    @Test(arguments: [true, false])
    func soDoANewNameAndADeletion(isDeletion: Bool) async throws {
        let note = try await refuse()
        if isDeletion {
            try test.copy.enqueue(.delete(note))
        } else {
            try test.copy.enqueue(.move(note, to: makePath("/b.txt")))
        }
        #expect(try problems() == [false, false])
        try await send()
        #expect(text("/a.txt") == nil)
        #expect(text("/b.txt") == (isDeletion ? nil : "one"))
        #expect(try test.copy.waitingChanges().isEmpty)
    }

    @Test func aSaveOfAnotherNoteIsNoNewAttempt() async throws {
        _ = try await refuse()
        try test.copy.enqueue(.write(Data("other".utf8), at: makePath("/b.txt"), mode: .add))
        #expect(try problems() == [true, false])
    }
}
