import Foundation
import TestSupport
import Testing

@testable import ClubLibrary

@Suite struct HandedOverDraftTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("handed-\(UUID().uuidString)", isDirectory: true)

    private func makeDraft(_ text: String) -> Draft {
        Draft(
            name: "a.md", path: "/a.md", baseRevision: "1",
            baseContentHash: LocalCopy.hash(of: Data("one".utf8)), savedAt: Date(),
            text: Data(text.utf8))
    }

    private func texts(_ store: DraftStore) -> [String] {
        store.waitingDrafts().map { String(decoding: $0.text, as: UTF8.self) }.sorted()
    }

    @Test func theFileIsForNobodyElseAndGoesWithItsFolder() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DraftStore(folder: folder)
        let handed = try store.handOver(makeDraft("one"), named: "a.md")
        #expect(handed.path.hasSuffix("/note/a.md"))
        let parent = (handed.path as NSString).deletingLastPathComponent
        for (path, mode) in [(handed.path, 0o600), (parent, 0o700)] {
            let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect((found as? NSNumber)?.intValue == mode)
        }
        #expect(try handed.text(byteLimit: 16 << 20) == Data("one".utf8))
        #expect(throws: DraftStore.Failure.self) { try handed.text(byteLimit: 2) }
        handed.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(arguments: ["", "../up", ".hidden", "a/b"])
    func anyNameGivesAFile(name: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let handed = try DraftStore(folder: folder).handOver(makeDraft("one"), named: name)
        #expect(handed.path.hasSuffix("/note/note.txt"))
        handed.remove()
    }

    @Test func whatWasSavedThereBecomesADraftAfterACrash() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let handed = try DraftStore(folder: folder).handOver(makeDraft("one"), named: "a.md")
        try Data("one and more".utf8).write(to: URL(fileURLWithPath: handed.path))
        let store = DraftStore(folder: folder)
        // As long as the other program is at work the file is its own.
        store.recoverHandedOver()
        #expect(texts(store) == [])
        #expect(FileManager.default.fileExists(atPath: handed.path))
        // The lock goes with the processes that have it.
        close(handed.lock)
        // A program that another test starts has all locks of this process until it is executed.
        try await eventually("the lock") {
            store.recoverHandedOver()
            return texts(store) == ["one and more"]
        }
        #expect(store.waitingDrafts().first?.path == "/a.md")
        #expect(!FileManager.default.fileExists(atPath: handed.path))
    }

    @Test func anUntouchedFileLeavesNothingAfterACrash() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DraftStore(folder: folder)
        close(try store.handOver(makeDraft("one"), named: "a.md").lock)
        // A program that another test starts has all locks of this process until it is executed.
        try await eventually("the lock") {
            store.recoverHandedOver()
            return try FileManager.default.contentsOfDirectory(atPath: folder.path) == []
        }
    }

    @Test func aDraftThatHasGoneOnMeanwhileStays() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DraftStore(folder: folder)
        var draft = makeDraft("one")
        let handed = try store.handOver(draft, named: "a.md")
        try Data("there".utf8).write(to: URL(fileURLWithPath: handed.path))
        close(handed.lock)
        draft.text = Data("here".utf8)
        try store.save(draft, sequence: 1)
        store.release(draft.id)
        let later = DraftStore(folder: folder)
        try await eventually("the lock") {
            later.recoverHandedOver()
            return texts(later) == ["here", "there"]
        }
    }

    /// The other program was cut off while it wrote the file again.
    @Test(arguments: [true, false])
    func aTornFileReplacesNothingThatWasTyped(isKept: Bool) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DraftStore(folder: folder)
        let draft = makeDraft("one, typed")
        if isKept {
            try store.save(draft, sequence: 0)
            store.release(draft.id)
        }
        let handed = try store.handOver(draft, named: "a.md")
        try Data("o".utf8).write(to: URL(fileURLWithPath: handed.path))
        close(handed.lock)
        let later = DraftStore(folder: folder)
        try await eventually("the lock") {
            later.recoverHandedOver()
            return texts(later) == ["o", "one, typed"]
        }
    }

    @Test func whatWasTypedJustBeforeIsKeptThoughItCameBackAsItWas() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DraftStore(folder: folder)
        close(try store.handOver(makeDraft("one, typed"), named: "a.md").lock)
        try await eventually("the lock") {
            store.recoverHandedOver()
            return texts(store) == ["one, typed"]
        }
    }

    @Test func whatTheOtherProgramLeftBesideTheFileStays() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DraftStore(folder: folder)
        let handed = try store.handOver(makeDraft("one"), named: "a.md")
        let swap = (handed.path as NSString).deletingLastPathComponent + "/.a.md.swp"
        try Data("unsaved".utf8).write(to: URL(fileURLWithPath: swap))
        close(handed.lock)
        store.recoverHandedOver()
        store.recoverHandedOver()
        let names = try #require(FileManager.default.subpaths(atPath: folder.path))
        #expect(names.contains { $0.hasSuffix("/note/.a.md.swp") })
    }
}
