import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import ClubAccess
@testable import byteclub

/// The earlier states of a note in a club that keeps some, as the commands list and restore them.
@Suite struct KeptAndSeenRevisionsTests {
    private let store = InMemoryStore(keepsEveryState: false)
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "kept-\(UUID().uuidString)")

    /// Writes texts one after the other, each of which this computer sees; then runs a test.
    private func with(
        _ texts: String...,
        test: (KeptAndSeenRevisions, LocalCopy, RemotePath) async throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try RemotePath(validating: "/plan.txt")
        let copy = LocalCopy(folder: folder)
        for text in texts {
            let file = try store.plant(text, at: path.string)
            try copy.record([.file(file)])
            try copy.keep([(file, Data(text.utf8))])
        }
        try await test(
            KeptAndSeenRevisions(kept: store, seen: SeenRevisions(of: copy, in: store)), copy, path)
    }

    private func text(_ revision: RemoteFile, _ keeper: KeptAndSeenRevisions) async throws -> String
    {
        let data = try await keeper.fetch(revision.path, revision: revision.revision).data
        return String(decoding: data, as: UTF8.self)
    }

    @Test func eachStateIsListedOnceTheLatestFirst() async throws {
        try await with("1", "22", "333") { keeper, _, path in
            let history = try await keeper.revisions(of: path, limit: 10)
            #expect(!history.isDeleted)
            #expect(history.revisions.map(\.byteCount) == [3, 2, 1])
            #expect(try await keeper.revisions(of: path, limit: 2).revisions.count == 2)
        }
    }

    @Test func whatTheClubKeepsNoMoreIsListedAsItWasSeen() async throws {
        try await with("1", "22", "333") { keeper, _, path in
            store.forgetRevisions()
            try store.plant("4444", at: path.string)
            let history = try await keeper.revisions(of: path, limit: 10)
            try #require(history.revisions.count == 4)
            #expect(try await text(history.revisions[3], keeper) == "1")
            let restored = try await keeper.restore(path, to: history.revisions[3].revision)
            #expect(store.contents(of: path.string) == Data("1".utf8))
            #expect(try await store.metadata(of: path).isSameState(as: restored))
        }
    }

    @Test func whatIsReplacedIsKeptHereFirst() async throws {
        try await with("1", "22") { keeper, copy, path in
            let current = try store.plant("somebody else's", at: path.string)
            let old = try #require(try await keeper.revisions(of: path, limit: 10).revisions.last)
            _ = try await keeper.restore(path, to: old.revision)
            #expect(store.contents(of: path.string) == Data("1".utf8))
            let kept = try copy.baseText(at: path, revision: current.revision, hash: nil)
            #expect(kept == Data("somebody else's".utf8))
        }
    }

    @Test(arguments: [true, false])
    func aRemovedNoteComesBackFromTheClubOrFromHere(isKept: Bool) async throws {
        try await with("1", "22") { keeper, _, path in
            try await store.delete(path)
            if !isKept { store.forgetRevisions() }
            let history = try await keeper.revisions(of: path, limit: 10)
            #expect(history.isDeleted)
            let last = try #require(history.revisions.first)
            _ = try await keeper.restore(path, to: last.revision)
            #expect(store.contents(of: path.string) == Data("22".utf8))
        }
    }

    @Test func aNoteThatNeverWasHasNoHistory() async throws {
        try await with { keeper, _, path in
            await #expect(throws: StoreError.self) {
                _ = try await keeper.revisions(of: path, limit: 10)
            }
            await #expect(throws: StoreError.self) {
                _ = try await keeper.restore(path, to: Revision(rawValue: "version/1/2"))
            }
        }
    }

    /// A list has it under the club's own name, and the editor once told the other.
    @Test func aStateIsRestoredByTheRevisionThatWasSeen() async throws {
        try await with("1", "22", "333") { keeper, copy, path in
            let seen = try #require(try copy.versions(of: path).first { $0.file.byteCount == 2 })
            let listed = try await keeper.revisions(of: path, limit: 10).revisions
            #expect(!listed.contains { $0.revision == seen.file.revision })
            #expect(try await keeper.hasSeen(seen.file.revision, of: path))
            #expect(try await !keeper.hasSeen(Revision(rawValue: "x"), of: path))
            _ = try await keeper.restore(path, to: seen.file.revision)
            #expect(String(decoding: try await store.fetch(path).data, as: UTF8.self) == "22")
        }
    }
}
