import ClubStore
import Foundation
import Testing

@testable import ByteClub
@testable import ClubAccess

@Suite struct FileArrangementTests {
    private func contents(_ files: [(String, size: Int64, age: TimeInterval)]) throws
        -> ClubContents
    {
        var contents = ClubContents()
        contents.apply(
            try files.map { path, size, age in
                .file(
                    RemoteFile(
                        path: try RemotePath(validating: path), revision: Revision(rawValue: "1"),
                        byteCount: size, modified: Date(timeIntervalSince1970: 1_000_000 - age)))
            })
        return contents
    }

    @Test(arguments: [
        (ListSort.name, ["drafts", "a 2.txt", "a 10.txt", "b.txt"]),
        (.change, ["drafts", "b.txt", "a 2.txt", "a 10.txt"]),
        (.size, ["drafts", "a 10.txt", "a 2.txt", "b.txt"]),
    ])
    func sortsFoldersFirst(sort: ListSort, names: [String]) throws {
        let contents = try contents([
            ("/a 10.txt", 30, 20), ("/b.txt", 10, 5), ("/a 2.txt", 10, 20), ("/drafts/x.txt", 1, 0),
            ("/photos/sea.jpg", 1, 0), ("/.hidden", 1, 0), ("/.cache/x", 1, 0),
        ])
        let arrangement = FileArrangement(
            contents, .init(kind: .notes, sort: sort), UnreadMarks())
        #expect(arrangement.entries.map(\.name) == names)
    }

    @Test func showsWhatIsInAFolder() throws {
        let contents = try contents([
            ("/a.txt", 1, 0), ("/drafts/x.txt", 1, 0), ("/drafts/old/y.txt", 1, 0),
        ])
        let folder = try RemotePath(validating: "/drafts")
        let arrangement = FileArrangement(
            contents, .init(kind: .notes, folder: folder), UnreadMarks())
        #expect(arrangement.entries.map(\.name) == ["old", "x.txt"])
    }

    @Test func filtersManyNames() throws {
        var contents = ClubContents()
        contents.apply(
            try (0..<10_000).map { number in
                .file(
                    RemoteFile(
                        path: try RemotePath.root.appending("note \(number).txt"),
                        revision: Revision(rawValue: "1"), byteCount: 1, modified: .distantPast))
            })
        let arrangement = FileArrangement(contents, .init(kind: .notes), UnreadMarks())
        let broad = arrangement.rows(NameFilter(query: "99"))
        let narrow = arrangement.rows(NameFilter(query: "99 no"), among: broad)
        #expect(narrow.positions == arrangement.rows(NameFilter(query: "99 no")).positions)
        let best = try #require(narrow.positions.first)
        #expect(arrangement.entries[best].name == "note 99.txt")
        #expect(arrangement.position(of: arrangement.entries[best].path) == best)
    }

    @Test func theRowsShownFirstAreThoseOfAFilter() async throws {
        let contents = try contents([
            ("/drafts/c 1.txt", 1, 0), ("/c 2.txt", 1, 0), ("/B.txt", 1, 0), ("/a.txt", 1, 0),
        ])
        var seen = UnreadMarks()
        seen.see(try #require(contents.notes.first))
        let request = FileArrangement.Request(kind: .notes, reachesBelow: true)
        let whole = FileArrangement(contents, request, seen)
        let first = await FileArrangement.makeRows(contents, request, seen)
        for rows in [first, await first.indexed()] {
            #expect(rows.entries.map(\.name) == ["drafts", "a.txt", "B.txt", "c 2.txt"])
            #expect(rows.unreadCount == 3 && rows.unreadCount == whole.unreadCount)
            #expect(rows.isUnread(rows[0], seen) && !rows.isUnread(rows[1], seen))
            #expect((0..<rows.count).allSatisfy { rows.position(of: rows[$0].path) == $0 })
            let filter = NameFilter(query: "c")
            #expect(rows.rows(filter).positions == whole.rows(filter).positions)
        }
    }

    @Test func knowsWhatIsUnread() throws {
        let contents = try contents([("/a.txt", 1, 0), ("/b.txt", 1, 0)])
        var seen = UnreadMarks()
        #expect(FileArrangement(contents, .init(kind: .notes), seen).unreadCount == 0)
        seen.see(try #require(contents.notes.first))
        #expect(FileArrangement(contents, .init(kind: .notes), seen).unreadCount == 1)
        let kept = try #require(UnreadMarks(seen.data))
        #expect(kept == seen)
        #expect(UnreadMarks(Data("no such file".utf8)) == nil)
        #expect(UnreadMarks(seen.data.dropLast()) == nil)
    }
}
