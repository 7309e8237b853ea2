import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing
import TextEditing

@testable import ByteClub
@testable import ClubAccess

/// What the person at this computer does in the shell, or in another window, is not new to them.
@MainActor @Suite(.timeLimit(.minutes(2))) struct OwnChangesTests {
    private let home = ListHome(keepsCopy: true)

    private func path(_ string: String) throws -> RemotePath {
        try RemotePath(validating: string)
    }

    /// As `byteclub notes new` does.
    private func write(_ text: String, at name: String) async throws {
        let path = try path(name)
        let (data, store) = (Data(text.utf8), home.store)
        _ = try await OwnChanges(libraryFolder: home.library).writing(data, at: path) {
            () throws(StoreError) in try await store.put(data, at: path, mode: .overwrite)
        }
    }

    @Test func whatTheShellWritesIsNotNew() async throws {
        try home.store.plant("a", at: "/a.txt")
        let run = try await home.start()
        try await write("mine", at: "/mine.txt")
        try await write("aa", at: "/a.txt")
        try home.store.plant("theirs", at: "/theirs.txt")
        await run.screen.wait {
            $0.text.contains("• theirs.txt") && $0.text.contains("1 new")
                && $0.text.contains("mine.txt")
        }
        await run.end()
    }

    @Test func whatTheShellHasWrittenIsNotNewAtTheNextStart() async throws {
        try home.store.plant("a", at: "/a.txt")
        var run = try await home.start()
        await run.end()
        try await write("mine", at: "/mine.txt")
        try home.store.plant("theirs", at: "/theirs.txt")
        run = try await home.start()
        await run.screen.wait { $0.text.contains("• theirs.txt") && $0.text.contains("1 new") }
        await run.end()
    }

    @Test func whatOthersChangeAfterwardsIsNew() async throws {
        try home.store.plant("a", at: "/a.txt")
        let run = try await home.start()
        try await write("mine", at: "/a.txt")
        try home.store.plant("theirs", at: "/a.txt")
        await run.screen.wait(for: "• a.txt")
        await run.end()
    }

    @Test func whatTheServerAnnouncesBeforeItConfirmsIsRecognized() async throws {
        try home.store.plant("a", at: "/a.txt")
        let run = try await home.start()
        let copy = LocalCopy(folder: home.library)
        let id = try copy.beginOwnWrite(at: path("/mine.txt"))
        let file = try home.store.plant("mine", at: "/mine.txt")
        await run.screen.wait(for: "• mine.txt")
        try copy.endOwnWrite(id, as: file)
        await run.screen.wait(untilGone: "•")
        await run.end()
    }

    @Test func whatAnotherWindowWritesIsNotNew() async throws {
        try home.store.plant("a", at: "/a.txt")
        let run = try await home.start()
        let other = TestClub(home.store, library: home.library)
        await other.waitUntil { !$0.contents.notes.isEmpty }
        _ = try await other.club.write("mine", at: path("/mine.txt"), mode: .create)
        await other.club.local?.finish()
        try home.store.plant("theirs", at: "/theirs.txt")
        await run.screen.wait {
            $0.text.contains("• theirs.txt") && $0.text.contains("1 new")
                && $0.text.contains("mine.txt")
        }
        other.club.stop()
        await run.end()
    }

    @Test func whereNoWindowHasShownTheClubNothingIsMade() async throws {
        try await write("mine", at: "/mine.txt")
        #expect(!FileManager.default.fileExists(atPath: home.library.path))
    }
}
