@testable import ClubLibrary
import Foundation
import Testing

@Suite struct DraftStoreTests {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("drafts-\(UUID().uuidString)", isDirectory: true)

    private func makeDraft(_ text: String, name: String = "a.txt") -> Draft {
        Draft(
            name: name, path: "/a.txt", baseRevision: "0123456789",
            savedAt: Date(timeIntervalSince1970: 1_700_000_000), text: Data(text.utf8))
    }

    @Test(arguments: [
        "", "one line", "two\nlines\n", "{\"not\":\"the header\"}\n", "é\u{301}\r\n\t🏳️‍🌈\u{0}",
    ])
    func readsBackWhatWasSaved(text: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let draft = makeDraft(text)
        try DraftStore(folder: folder).save(draft, sequence: 1)
        #expect(DraftStore(folder: folder).drafts() == [draft])
    }

    /// As a killed program leaves one.
    @Test func nothingHalfWrittenOutlivesADraft() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let draft = makeDraft("private")
        let store = DraftStore(folder: folder)
        try store.save(draft, sequence: 1)
        let half = folder.appending(path: draft.id.uuidString + ".draft.tmp")
        try Data("priv".utf8).write(to: half)
        store.remove(draft.id)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// A person has read it in a box; somebody else may have written on in it since.
    @Test func removesADraftOnlyAsItWasSeen() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let draft = makeDraft("seen")
        var later = draft
        (later.text, later.savedAt) = (Data("written on".utf8), draft.savedAt + 60)
        let (store, other) = (DraftStore(folder: folder), DraftStore(folder: folder))
        try other.save(later, sequence: 1)
        #expect(store.remove(draft) == .inUse)
        other.release(draft.id)
        #expect(store.remove(draft) == .changed(later))
        #expect(store.waitingDrafts() == [later])
        #expect(store.remove(later) == .removed)
        #expect(store.drafts().isEmpty)
        #expect(store.remove(later) == .removed)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.isEmpty)
    }

    @Test func keepsBytesThatAreNoText() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var draft = makeDraft("")
        draft.text = Data([0xff, 0x00, 0x0a, 0xc3])
        draft.caret = 2
        try DraftStore(folder: folder).save(draft, sequence: 1)
        #expect(DraftStore(folder: folder).drafts() == [draft])
    }

    @Test func keepsTheNewestWhateverOrderTheWritesCome() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DraftStore(folder: folder)
        var draft = makeDraft("newer")
        try store.save(draft, sequence: 2)
        draft.text = Data("older".utf8)
        try store.save(draft, sequence: 1)
        #expect(store.drafts().map(\.text) == [Data("newer".utf8)])
    }

    @Test func aRemovedDraftStaysRemoved() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DraftStore(folder: folder)
        let draft = makeDraft("text")
        try store.save(draft, sequence: 1)
        store.remove(draft.id)
        try store.save(draft, sequence: 2)
        #expect(store.drafts().isEmpty)
    }

    @Test func aDraftBeingEditedIsNotOfferedToAnother() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (mine, other) = (DraftStore(folder: folder), DraftStore(folder: folder))
        let draft = makeDraft("text")
        try mine.save(draft, sequence: 1)
        #expect(other.waitingDrafts().isEmpty)
        #expect(other.claim(draft.id) == .notClaimed)
        mine.release(draft.id)
        #expect(other.waitingDrafts() == [draft])
        #expect(other.claim(draft.id) == .claimed)
        #expect(other.waitingDrafts().isEmpty)
    }

    @Test func takesOverWhatNobodyIsEditing() throws {
        let old = folder.appendingPathExtension("old")
        defer {
            try? FileManager.default.removeItem(at: folder)
            try? FileManager.default.removeItem(at: old)
        }
        let (edited, waiting) = (makeDraft("edited elsewhere"), makeDraft("waiting"))
        let editor = DraftStore(folder: old)
        for draft in [edited, waiting] { try editor.save(draft, sequence: 1) }
        editor.release(waiting.id)
        let store = DraftStore(folder: folder)
        store.takeOver(from: DraftStore(folder: old))
        #expect(store.waitingDrafts() == [waiting])
        #expect(editor.drafts() == [edited])
    }

    @Test func keepsWhatATextIsBasedOn() throws {
        var draft = makeDraft("text")
        (draft.baseRevision, draft.baseContentHash) = ("r", "h")
        let bytes = try draft.encoded()
        #expect(Draft(id: draft.id, decoding: bytes) == draft)
        // Of an earlier version.
        let old = String(decoding: bytes, as: UTF8.self).replacing(
            #""baseContentHash":"h","#, with: "")
        draft.baseContentHash = nil
        #expect(Draft(id: draft.id, decoding: Data(old.utf8)) == draft)
        draft = makeDraft("text")
        draft.folder = "/drafts"
        #expect(Draft(id: draft.id, decoding: try draft.encoded()) == draft)
    }

    @Test func readsADraftOfAnEarlierVersion() throws {
        var draft = makeDraft("text")
        (draft.baseRevision, draft.baseContentHash) = ("r", "h")
        let old = String(decoding: try draft.encoded(), as: UTF8.self).replacing(
            #""baseContentHash":"h","#, with: "")
        draft.baseContentHash = nil
        #expect(Draft(id: draft.id, decoding: Data(old.utf8)) == draft)
    }

    @Test func onlyTheOwnerMayReadIt() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let draft = makeDraft("secret")
        try DraftStore(folder: folder).save(draft, sequence: 1)
        let file = folder.appendingPathComponent(draft.id.uuidString + ".draft").path
        let mode = try #require(
            try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber)
        #expect(mode.intValue == 0o600)
    }

    @Test func passesOverFilesThatAreNoDrafts() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DraftStore(folder: folder)
        try store.save(makeDraft("kept"), sequence: 1)
        for (name, bytes) in [
            ("\(UUID().uuidString).draft", Data("no header at all".utf8)),
            ("\(UUID().uuidString).draft", Data("{\"version\":99}\nfrom the future".utf8)),
            ("\(UUID().uuidString).draft", Data([0xff, 0xfe, 0x0a])),
            ("readme.txt", Data("x".utf8)),
        ] {
            try bytes.write(to: folder.appendingPathComponent(name))
        }
        #expect(store.drafts().map(\.text) == [Data("kept".utf8)])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 6)
    }

    @Test func aFailedWriteKeepsTheOlderVersionAndSaysWhy() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("a file in the way".utf8).write(to: folder)
        let error = #expect(throws: DraftStore.Failure.self) {
            try DraftStore(folder: folder).save(makeDraft("text"), sequence: 1)
        }
        #expect(error?.description == "Not a directory: the text is not kept as a draft.")
    }
}
