import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import ClubAccess
@testable import byteclub

/// What the commands about notes ask of a store; what they write is walked through end to end elsewhere.
@Suite(.timeLimit(.minutes(1))) struct NoteCommandsTests {
    private let store = InMemoryStore()

    private func text(_ path: String) -> String? {
        store.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Changes the club after the command has looked at the note, and before it is removed.
    private func remove(_ name: String, after change: () throws -> Void) async throws {
        store.hold(.delete)
        let store = store
        let removing = Task { try await NotesRemove.remove(name, from: store) }
        await store.waitForCalls(of: .delete)
        try change()
        store.release(.delete)
        _ = try await removing.value
    }

    @Test func removesNoNoteThatWasChangedMeanwhile() async throws {
        try store.plant("old", at: "/plan.txt")
        await #expect(throws: StoreError.self) {
            try await remove("plan.txt") { try store.plant("new", at: "/plan.txt") }
        }
        #expect(text("/plan.txt") == "new")
    }

    @Test func removesNoFolderThatHasTakenTheName() async throws {
        try store.plant("old", at: "/plan.txt")
        await #expect(throws: StoreError.self) {
            try await remove("plan.txt") {
                try store.uproot("/plan.txt")
                try store.plant("precious", at: "/plan.txt/a.txt")
            }
        }
        #expect(text("/plan.txt/a.txt") == "precious")
    }

    @Test func removesNoFolderThatAppearsWhereNothingWas() async throws {
        _ = try? await remove("plan") { try store.plant("precious", at: "/plan/a.txt") }
        #expect(text("/plan/a.txt") == "precious")
    }

    /// A slash and a combining mark after it are one `Character`.
    @Test func aNameInAFolderMayBeginWithACombiningMark() throws {
        let path = try NotePaths.new("d/\u{301}x")
        #expect(path.components == ["d", "\u{301}x.txt"])
        #expect(try NotePaths.folder("d/\u{301}x/").components == ["d", "\u{301}x"])
    }

    @Test func listsAFolderOrTheNoteOfThatName() async throws {
        try store.plant("a", at: "/plan/a.txt")
        try store.plant("b", at: "/b.txt")
        #expect(try await NotesList.files("plan", of: store).notes.map(\.name) == ["a.txt"])
        #expect(try await NotesList.files("b", of: store).notes.map(\.name) == ["b.txt"])
        #expect(
            try await NotesList.files("plan/a.txt", of: store).notes.map(\.name) == ["a.txt"])
        #expect(try await NotesList.files("", of: store).notes.map(\.name) == ["b.txt"])
    }

    @Test func listsFoldersAndOnRequestWhatIsInThem() async throws {
        for path in ["/plan/a.txt", "/plan/deep/b.txt", "/b.txt", "/photos/sea.jpg"] {
            try store.plant("text", at: path)
        }
        let top = try await NotesList.files("", of: store)
        #expect(top.notes.map(\.name) == ["b.txt"])
        #expect(top.folders.map(\.name) == ["plan"])
        let all = try await NotesList.files("", recursive: true, of: store)
        #expect(all.notes.map(\.path.string) == ["/b.txt", "/plan/a.txt", "/plan/deep/b.txt"])
        let some = try await NotesList.files("plan", recursive: true, of: store)
        #expect(some.notes.map(\.path.string) == ["/plan/a.txt", "/plan/deep/b.txt"])
        let one = try await NotesList.files("b", recursive: true, of: store)
        let itself = try RemotePath(validating: "/b.txt")
        #expect(
            FileLines.lines(for: one.notes, from: itself, now: .distantPast)
                .map { $0.hasSuffix(" b.txt") } == [true])
        let lines = FileLines.lines(
            for: some.notes, folders: top.folders, from: top.folders[0], now: .distantPast)
        #expect(lines.map { $0.split(separator: " ").last } == ["plan/", "a.txt", "deep/b.txt"])
    }

    /// Listings show it so: the name itself cannot be typed.
    @Test func findsANoteByTheNameThatIsShown() async throws {
        try store.plant("bell", at: "/plan/a\u{7}b.txt")
        for name in ["plan/a^Gb.txt", "plan/a^Gb", "plan/a\u{7}b.txt", "plan/a\u{7}b"] {
            let note = try await NotePaths.find(name, in: store)
            #expect(note.path.string == "/plan/a\u{7}b.txt")
        }
        // A note that has the very name comes first.
        try store.plant("plain", at: "/plan/a^Gb.txt")
        #expect(try await NotePaths.find("plan/a^Gb", in: store).name == "a^Gb.txt")
    }

    @Test func aNameWithAControlCharacterMeansNoOther() async throws {
        try store.plant("plain", at: "/a^Gb.txt")
        await #expect(throws: CommandFailure.self) {
            _ = try await NotePaths.find("a\u{7}b", in: store)
        }
    }

    @Test func doesNotGuessWhichOfSeveralNotesIsMeant() async throws {
        try store.plant("one", at: "/a\u{7}\u{1}.txt")
        try store.plant("two", at: "/a^G\u{1}.txt")
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await NotePaths.find("a^G^A", in: store)
        }
        #expect(failure?.sentence.contains("can mean several files") == true)
        #expect(failure?.sentence.contains("\u{7}") == false)
    }

    @Test(arguments: ["sea", "sea.jpg", "bell^G", "bell^G.png"])
    func findsAPhotoWithoutItsEnding(name: String) async throws {
        for name in ["sea.jpg", "sea.txt", "bell\u{7}.png", "seaside.jpg"] {
            try store.plant("picture", at: "/photos/" + name)
        }
        let photo = try await PhotoPaths.find(name, of: store)
        #expect(photo.name == (name.hasPrefix("sea") ? "sea.jpg" : "bell\u{7}.png"))
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await PhotoPaths.find("se", of: store)
        }
        #expect(failure?.sentence == "There is no photo “se” in the club.")
    }

    @Test func doesNotGuessWhichOfSeveralPhotosIsMeant() async throws {
        for name in ["sea.jpg", "sea.png"] { try store.plant("x", at: "/photos/" + name) }
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await PhotoPaths.find("sea", of: store)
        }
        #expect(failure?.sentence.contains("“sea.jpg”, “sea.png”") == true)
        #expect(try await PhotoPaths.find("sea.png", of: store).name == "sea.png")
    }

    @Test(arguments: [
        (["notes", "new", "-dash"], "-dash"), (["notes", "new", "--", "-dash"], nil),
        (["notes", "cat", "-"], nil), (["--help"], nil), (["-h"], nil),
        (["notes", "new", "plan", "--json"], nil),
    ])
    func aNameIsNotReadAsOptions(arguments: [String], misread: String?) {
        #expect(Arguments.misread(in: arguments) == misread)
    }

    @Test(arguments: ["nofolder", "plan/none", "nofolder/"])
    func saysThatThereIsNoSuchFolder(name: String) async throws {
        try store.plant("a", at: "/plan/a.txt")
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await NotesList.files(name, of: store)
        }
        #expect(failure?.sentence == "There is no folder “\(name)” in the club.")
    }

    @Test func findsTheNoteBesideAFolderOfItsName() async throws {
        try store.plant("inside", at: "/plan/a.txt")
        try store.plant("words", at: "/plan.txt")
        let store = store
        let found = try await NotePaths.with("plan", in: store) { path throws(StoreError) in
            try await store.fetch(path)
        }
        #expect(found.data == Data("words".utf8))
        _ = try await NotesRemove.remove("plan", from: store)
        #expect(text("/plan.txt") == nil)
        #expect(text("/plan/a.txt") == "inside")
        // Without it, the message is about the folder.
        let error = await #expect(throws: CommandFailure.self) {
            try await NotePaths.find("plan", in: store)
        }
        #expect(error?.sentence.contains("“plan” is a folder.") == true)
    }

    @Test func oneNoteThatCannotBeReadDoesNotEndASearch() async throws {
        for name in ["a", "b", "c"] { try store.plant("fish", at: "/\(name).txt") }
        store.failNext(.fetch, with: .damaged)
        var (found, skipped): ([String], [String]) = ([], [])
        try await NotesSearch.search(LineSearch("fish"), in: store) { file, _ in
            found.append(file.name)
        } skipped: { file, _ in
            skipped.append(file.name)
        }
        #expect(found == ["b.txt", "c.txt"])
        #expect(skipped == ["a.txt"])
    }

    @Test(arguments: [StoreError.Code.offline, .unauthorized, .untrusted])
    func aSearchEndsWhereTheClubCannotBeAsked(code: StoreError.Code) async throws {
        try store.plant("fish", at: "/a.txt")
        store.failNext(.fetch, with: code)
        let error = await #expect(throws: StoreError.self) {
            try await NotesSearch.search(LineSearch("fish"), in: store) { _, _ in
            } skipped: { _, _ in
            }
        }
        #expect(error?.code == code)
    }

    @Test(arguments: ["photos/plan", "Photos/plan", "photos/old/plan"])
    func noNoteGoesToThePhotos(name: String) throws {
        let path = try NotePaths.new(name)
        #expect(throws: CommandFailure.self) { try NotePaths.requireNotePath(path) }
        try NotePaths.requireNotePath(try NotePaths.new("drafts/photos/plan"))
    }

    /// Some servers keep names decomposed, which nobody types.
    @Test func aRemovedNoteIsFoundByTheComposedName() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "removed-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = LocalCopy(folder: folder)
        let gone = try RemotePath(validating: "/Gru\u{308}ße.txt")
        try copy.recordOwnDeletion(
            of: RemoteFile(
                path: gone, revision: Revision(rawValue: "1"), byteCount: 1, modified: Date()))
        let found = try await NotePaths.with("Gr\u{FC}ße", in: InMemoryStore(), removedIn: copy) {
            path throws(StoreError) in
            guard path.string.utf8.elementsEqual(gone.string.utf8) else {
                throw StoreError(.notFound, during: .metadata, at: path)
            }
            return path
        }
        #expect(found.string.utf8.elementsEqual(gone.string.utf8))
    }

    @Test(arguments: [true, false])
    func theTextThatIsReplacedIsKeptUnlessTheClubKeepsIt(keepsRevisions: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "replaced-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = InMemoryStore(keepsRevisions: keepsRevisions)
        let file = try store.plant("old", at: "/a.txt")
        try await NotesEdit.keep(Data("old".utf8), of: file, from: store, in: folder)
        #expect(FileManager.default.fileExists(atPath: folder.path) != keepsRevisions)
        if !keepsRevisions {
            let versions = try LocalCopy(folder: folder).versions(of: file.path)
            #expect(versions.map(\.file.revision) == [file.revision])
        }
    }
}
