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
        while !store.calls.contains(where: { $0.operation == .delete }) { await Task.yield() }
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

    @Test func listsAFolderOrTheNoteOfThatName() async throws {
        try store.plant("a", at: "/plan/a.txt")
        try store.plant("b", at: "/b.txt")
        #expect(try await NotesList.files("plan", of: store).notes.map(\.name) == ["a.txt"])
        #expect(try await NotesList.files("b", of: store).notes.map(\.name) == ["b.txt"])
        #expect(
            try await NotesList.files("plan/a.txt", of: store).notes.map(\.name) == ["a.txt"])
        #expect(try await NotesList.files("", of: store).notes.map(\.name) == ["b.txt"])
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
        let found = try await NotePaths.with("plan") { path throws(StoreError) in
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
}
