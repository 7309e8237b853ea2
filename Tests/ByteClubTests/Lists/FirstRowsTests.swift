import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

/// What a large list shows at a start, before the local copy is read.
@MainActor @Suite(.timeLimit(.minutes(1))) struct FirstRowsTests {
    private final class Tab: ViewController {}

    /// The list on a screen.
    private final class Page: ViewController {
        private let list: FileList

        init(_ list: FileList) {
            self.list = list
            super.init()
        }

        override func makeView() -> View { list.view }
    }

    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("first-\(UUID().uuidString)", isDirectory: true)
    private let tab = Tab()

    private static func contents(noteCount: Int) throws -> ClubContents {
        var contents = ClubContents()
        var entries: [RemoteEntry] = [.folder(try RemotePath(validating: "/drafts"))]
        for number in 1...noteCount {
            entries.append(
                .file(
                    RemoteFile(
                        path: try RemotePath(validating: "/\(number) 笔记.txt"),
                        revision: Revision(rawValue: "r\(number)"), byteCount: Int64(number),
                        modified: Date(timeIntervalSince1970: 1_700_000_000),
                        contentHash: String(repeating: "a", count: 64))))
        }
        contents.apply(entries)
        return contents
    }

    private func makeList(_ club: Club) -> FileList {
        let list = FileList(.notes, of: club, memory: ListMemory(folder: folder), owner: tab)
        list.start()
        return list
    }

    /// A run in which the whole list is shown, and one that begins after it.
    private func withNextRun(
        _ body: (_ list: FileList, _ club: Club, _ all: FileArrangement) async throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = TestClub()
        let before = makeList(test.club)
        test.club.known.isListed = true
        test.club.reported = try Self.contents(noteCount: 1100)
        test.club.notify()
        await before.work.arranging?.value
        await before.memory.finish()
        let next = TestClub()
        next.club.known.isReading = true
        let list = makeList(next.club)
        await list.showFirstRowsOfLastRun()
        try await body(list, next.club, before.arrangement)
    }

    @Test func theRowsOfTheLastRunAreThereWhileTheLocalCopyIsRead() async throws {
        try await withNextRun { list, club, all in
            #expect(all.entries.count == 1101)
            #expect(Array(list.arrangement.entries) == Array(all.entries.prefix(200)))
            #expect(list.panel.trailingTitle?.text == "1101 · by name")
            // Nothing is known of the club yet: they stay.
            club.notify()
            #expect(list.rowCount == 200)
            list.list.select(7)
            club.known.isReading = false
            club.reported = try Self.contents(noteCount: 1200)
            club.notify()
            await list.work.arranging?.value
            #expect(list.rowCount == 1201 && !list.arrangement.isBeginning)
            #expect(list.selectedEntry == all.entries[7])
        }
    }

    @Test func theyGoWhenNothingWasKeptOfTheClub() async throws {
        try await withNextRun { list, club, _ in
            #expect(list.rowCount == 200)
            club.known.isReading = false
            club.notify()
            #expect(list.rowCount == 0)
        }
    }

    @Test func theyDoNotComeAfterTheClubsOwn() async throws {
        try await withNextRun { list, club, _ in
            club.known.isReading = false
            club.reported = try Self.contents(noteCount: 3)
            club.notify()
            await list.showFirstRowsOfLastRun()
            #expect(list.rowCount == 4)
        }
    }

    @Test func theyGoWhenTheListHasBecomeSmall() async throws {
        try await withNextRun { list, club, _ in
            #expect(list.rowCount == 200)
            club.known.isReading = false
            club.known.isListed = true
            club.reported = try Self.contents(noteCount: 900)
            club.notify()
            await list.memory.finish()
            #expect(await FirstRows.read(in: folder) == nil)
        }
    }

    /// Nothing is looked for among rows of which only the first are known.
    @Test func aFilterWaitsForTheWholeList() async throws {
        try await withNextRun { list, club, _ in
            let screen = try AppScreen(Page(list))
            #expect(list.list.becomeFirstResponder())
            screen.press("/")
            screen.type("1099")
            #expect(list.rowCount == 0)
            club.known.isReading = false
            club.known.isListed = true
            club.reported = try Self.contents(noteCount: 1100)
            club.notify()
            await list.work.arranging?.value
            await list.work.filtering?.value
            #expect(list.rowCount == 1)
        }
    }

    @Test func aSmallListKeepsNone() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = TestClub()
        let list = makeList(test.club)
        test.club.known.isListed = true
        test.club.reported = try Self.contents(noteCount: 900)
        test.club.notify()
        await list.memory.finish()
        #expect(await FirstRows.read(in: folder) == nil)
    }

    @Test(arguments: [
        "", "{", "[]", "{\"rows\":[],\"sort\":\"shape\",\"count\":1,\"unreadCount\":0}",
        "{\"rows\":3}",
    ])
    func aDamagedFileIsIgnored(text: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: "first-notes.json"))
        #expect(await FirstRows.read(in: folder) == nil)
    }

    @Test func aRowThatNoClubCouldHaveIsLeftOut() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = #"""
            {"rows": [{"path": "/../etc", "fileCount": 1}, {"path": "/a", "fileCount": 2}, {"path": "/b"}],
             "sort": "size", "count": -5, "unreadCount": 0}
            """#
        try Data(text.utf8).write(to: folder.appending(path: "first-notes.json"))
        let first = try #require(await FirstRows.read(in: folder))
        let arrangement = FileArrangement(first)
        #expect(arrangement.entries.map(\.name) == ["a"])
        #expect(arrangement.rowCount == 1 && arrangement.sort == .size)
    }
}
