import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

/// A list on its own: while the club changes, and after its tab has gone.
@MainActor @Suite(.timeLimit(.minutes(1))) struct FileListTests {
    private final class Tab: ViewController {}

    private func files(_ names: [String]) throws -> [RemoteEntry] {
        try names.map {
            .file(
                RemoteFile(
                    path: try RemotePath(validating: $0), revision: Revision(rawValue: "1"),
                    byteCount: 1, modified: .distantPast))
        }
    }

    private func show(_ names: [String], in club: Club) throws {
        var contents = ClubContents()
        contents.apply(try files(names))
        club.reported = contents
        club.notify()
    }

    /// A club as large as those that are arranged off the main actor.
    private let names = (0..<1100).map { "/\($0).txt" }

    @Test func aBatchOutlivesItsTab() async throws {
        let test = TestClub()
        for name in names.prefix(3) { try test.store.plant("text", at: name) }
        var tab: Tab? = Tab()
        let list = FileList(
            .notes, of: test.club, memory: ListMemory(folder: nil), owner: try #require(tab))
        list.start()
        try show(names, in: test.club)
        await list.work.arranging?.value
        try #require(list.arrangement.entries.count == 1100)
        let entries = Array(list.arrangement.entries.prefix(3))
        var done = 0
        list.forEach(entries, doing: "Deleting", failureTitle: "Not deleted") {
            (entry: FileEntry) throws(StoreError) in
            if done == 0 { tab = nil }
            test.club.recordRemoval(of: entry.path)
            done += 1
        } then: { _ in
        }
        await list.batch?.value
        #expect(done == 3)
        #expect(list.owner == nil)
    }

    @Test func leavingTheClubEndsABatch() async throws {
        let test = TestClub()
        let tab = Tab()
        let list = FileList(.notes, of: test.club, memory: ListMemory(folder: nil), owner: tab)
        list.start()
        try show(["/a.txt", "/b.txt", "/c.txt"], in: test.club)
        var done = 0
        list.forEach(
            Array(list.arrangement.entries), doing: "Deleting", failureTitle: "Not deleted"
        ) {
            (entry: FileEntry) throws(StoreError) in
            done += 1
            list.stop()
        } then: { _ in
        }
        await list.batch?.value
        #expect(done == 1)
    }

    /// The rows of a filter are places in an arrangement, and in no other.
    @Test func rowsOfAnEarlierArrangementAreNotShown() async throws {
        let home = ListHome()
        let run = try await home.start()
        let list = run.notes.files
        // Long to look through, so that the next arrangement is there first.
        let long = String(repeating: "x", count: 100)
        try show((0..<1500).map { "/\(long)\($0)q.txt" }, in: run.club)
        await list.work.arranging?.value
        try #require(list.arrangement.entries.count == 1500)
        var filtering: [Task<Void, Never>?] = []
        for character in "/q q q q q q" {
            run.screen.type(String(character))
            filtering.append(list.work.filtering)
        }
        try show((0..<1001).map { "/\($0)q.txt" }, in: run.club)
        await list.work.arranging?.value
        try #require(list.arrangement.entries.count == 1001 && list.rowCount == 1001)
        #expect(list.selectedEntry != nil)
        await run.screen.wait(for: "1001 of 1001")
        // Those that the next arrangement came before end too.
        for task in filtering { await task?.value }
        run.screen.press("Enter", "G")
        #expect(list.rowCount == 1001)
        #expect(list.selectedEntry != nil)
        await run.end()
    }

    @Test func goesUpUntilThereIsAFolder() async throws {
        let test = TestClub()
        let tab = Tab()
        let list = FileList(.notes, of: test.club, memory: ListMemory(folder: nil), owner: tab)
        list.start()
        try show(["/a/b/c/deep.txt", "/top.txt"], in: test.club)
        list.enter(try RemotePath(validating: "/a/b/c"))
        #expect(list.arrangement.entries.map(\.name) == ["deep.txt"])
        try show(["/top.txt"], in: test.club)
        #expect(list.folder.isRoot)
        #expect(list.arrangement.entries.map(\.name) == ["top.txt"])
    }

    @Test func markedEntriesComeInTheListsOrder() async throws {
        let test = TestClub()
        let tab = Tab()
        let list = FileList(.notes, of: test.club, memory: ListMemory(folder: nil), owner: tab)
        list.start()
        try show(["/a.txt", "/b.txt", "/c.txt", "/d.txt"], in: test.club)
        for row in [3, 0, 2] { list.list.toggleMark(at: row) }
        #expect(list.markedEntries.map(\.name) == ["a.txt", "c.txt", "d.txt"])
        list.unmark([list.markedEntries[1]])
        #expect(list.targets.map(\.name) == ["a.txt", "d.txt"])
    }
}
