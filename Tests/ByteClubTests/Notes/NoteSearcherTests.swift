import ClubAccess
import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing
import TextEditing

@testable import ByteClub

@MainActor @Suite struct NoteSearcherTests {
    let store = InMemoryStore()
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("search-\(UUID().uuidString)", isDirectory: true)

    private func search(_ query: String, in club: Club) async throws -> NoteSearchProgress {
        var last = NoteSearchProgress()
        try await NoteSearcher(club, texts: NoteTexts(club: club)).search(query) { last = $0 }
        return last
    }

    private func isConnected(_ club: Club) -> Bool {
        if case .connected = club.connection { true } else { false }
    }

    @Test(arguments: [true, false])
    func findsLinesInNotesOfAllFolders(keepsCopy: Bool) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try store.plant("one\ntwo cafés\n", at: "/a.txt")
        try store.plant("Two Cafes there\n", at: "/trips/b.txt")
        try store.plant("two\ncafes\n", at: "/c.txt")
        let test = TestClub(store, library: keepsCopy ? folder : nil)
        await test.waitUntil { isConnected($0) }
        let found = try await search("two cafe", in: test.club)
        #expect(Set(found.hits.map(\.text)) == ["two cafés", "Two Cafes there"])
        #expect(found.hits.first { $0.file.name == "a.txt" }?.line == 2)
        #expect(found.remainingCount == nil)
        test.club.stop()
    }

    @Test func findsWhatIsHereWhileTheClubIsAway() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try store.plant("the words\n", at: "/a.txt")
        let first = TestClub(store, library: folder)
        await first.waitUntil { isConnected($0) }
        _ = try await search("words", in: first.club)
        first.club.stop()
        await first.club.local?.finish()

        try store.plant("new words\n", at: "/b.txt")
        for operation in [StoreError.Operation.list, .changes, .fetch] {
            for _ in 0..<50 { store.failNext(operation, with: .offline) }
        }
        let test = TestClub(store, library: folder)
        await test.waitUntil { if case .failed = $0.connection { true } else { false } }
        let path = try RemotePath(validating: "/mine.txt")
        _ = try await test.club.write(TextBuffer("my words\n"), at: path, mode: .add)
        let found = try await search("words", in: test.club)
        #expect(Set(found.hits.map(\.text)) == ["the words", "my words"])
        test.club.stop()
    }

    @Test func oneNoteThatIsRefusedIsSkipped() async throws {
        try store.plant("words\n", at: "/a.txt")
        try store.plant("words\n", at: "/b.txt")
        let test = TestClub(store)
        await test.waitUntil { isConnected($0) }
        store.failNext(.fetch, with: .forbidden)
        let found = try await search("words", in: test.club)
        #expect(found.hits.map(\.file.name) == ["b.txt"])
        #expect(found.skippedCount == 1)
        test.club.stop()
    }

    @Test func aLineThatIsFoundTwiceIsListedOnce() throws {
        let file = try store.plant("words\n", at: "/a.txt")
        var progress = NoteSearchProgress()
        progress.add([NoteHit(file: file, line: 1, text: "words")])
        progress.add([
            NoteHit(file: file, line: 1, text: "words"),
            NoteHit(file: file, line: 2, text: "words"),
        ])
        #expect(progress.hits.map(\.line) == [1, 2])
        progress.add((3...300).map { NoteHit(file: file, line: $0, text: "words") })
        #expect(progress.isFull && progress.hits.count == NoteSearchProgress.hitLimit)
    }

    /// A text is found in the state that the club has, not in one that this computer saw before.
    @Test func whatWasReplacedIsNotFound() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try store.plant("old words\n", at: "/a.txt")
        let test = TestClub(store, library: folder)
        await test.waitUntil { isConnected($0) }
        _ = try await search("words", in: test.club)
        let file = try #require(test.club.contents.notes.first)
        try store.plant("new words\n", at: "/a.txt")
        await test.waitUntil { $0.contents.notes.first?.revision != file.revision }
        let found = try await search("words", in: test.club)
        #expect(found.hits.map(\.text) == ["new words"])
        test.club.stop()
    }

    @Test func aHitIsFoundAgainInADraft() async throws {
        let file = RemoteFile(
            path: try RemotePath(validating: "/a.txt"), revision: Revision(rawValue: "1"),
            byteCount: 1, modified: .distantPast)
        let hit = NoteHit(file: file, line: 2, text: "…two words…")
        #expect(await hit.line(in: Data("zero\r\none\r\nall the two words here\r\n".utf8)) == 3)
        #expect(await hit.line(in: Data("two words\nelse\nelse\ntwo words".utf8)) == 1)
        #expect(await hit.line(in: Data("all new\n".utf8)) == nil)
        #expect(await hit.line(in: Data()) == nil)
    }
}
