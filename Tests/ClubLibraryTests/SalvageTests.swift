import ClubStore
import Foundation
import Testing

@testable import ClubLibrary

/// What is taken over from a damaged database besides texts.
@Suite struct SalvageTests {
    let test = TestLibrary()

    /// Destroys the first page of a table.
    private func damage(_ table: String) throws {
        let (page, size) = try place(of: table)
        let handle = try FileHandle(forWritingTo: test.database)
        try handle.seek(toOffset: UInt64((page - 1) * size))
        try handle.write(contentsOf: Data(repeating: 0xa5, count: Int(size)))
        try handle.close()
    }

    private func place(of table: String) throws -> (page: Int64, size: Int64) {
        let database = try Database(path: test.database.path)
        let page = try database.first(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", .text(table),
            read: { $0.integer(0) })
        let size = try database.first("PRAGMA page_size", read: { $0.integer(0) })
        return (try #require(page), try #require(size))
    }

    /// - Parameter body: What happens to the copy before it is closed.
    private func fill(_ body: (LocalCopy) throws -> Void) throws {
        let copy = LocalCopy(folder: test.folder)
        try copy.replaceListing(with: makeListing([makeFile("/there.txt", "there")]))
        try body(copy)
    }

    @Test func theTrashOutlivesADamagedListing() throws {
        let gone = try makeFile("/gone.txt", "precious")
        let theirs = try makeFile("/theirs.txt", "theirs")
        try fill { copy in
            try copy.keep("precious", of: gone)
            try copy.recordOwnDeletion(of: gone)
            try copy.record([.file(theirs)])
            try copy.record([.deleted(theirs.path)])
        }
        try damage("entries")
        #expect(test.copy.takeNotice()?.contains("damaged") == true)
        let trash = try test.copy.trash()
        #expect(trash.map(\.file.path.string) == ["/theirs.txt", "/gone.txt"])
        #expect(trash.map(\.isOwn) == [false, true])
        #expect(trash.map(\.hasText) == [false, true])
        #expect(
            try test.copy.baseText(at: gone.path, revision: gone.revision, hash: nil)
                == Data("precious".utf8))
    }

    /// With the changes' files, and without: another program may have removed them.
    @Test(arguments: [true, false])
    func theOutboxSaysWhenAChangeWasMadeAndWhyItWasRefused(hasFiles: Bool) throws {
        let made = Date(timeIntervalSince1970: 1_750_000_000)
        try fill { copy in
            try copy.enqueue(.delete(makeFile("/there.txt", "there")), at: made)
            let change = try #require(try copy.waitingChanges().first)
            try copy.endSending(change.id, problem: "The club is full.")
        }
        try damage("entries")
        if !hasFiles {
            try FileManager.default.removeItem(at: test.folder.appending(path: "outbox"))
        }
        let change = try #require(try test.copy.waitingChanges().first)
        #expect(change.problem == "The club is full.")
        #expect(change.date == made)
        #expect(change.modified != made)
    }

    /// Programs before this one did not note when a change was made.
    @Test func theOutboxOfAnEarlierVersionIsTakenOver() throws {
        try fill { try $0.enqueue(.delete(makeFile("/there.txt", "there"))) }
        try FileManager.default.removeItem(at: test.folder.appending(path: "outbox"))
        try Database(path: test.database.path).execute("ALTER TABLE outbox DROP COLUMN made")
        try damage("entries")
        #expect(try test.copy.waitingChanges().map(\.path.string) == ["/there.txt"])
    }

    /// The parent of the folder cannot be written to: a sentence, and not an error's name.
    @Test func whatTheSystemRefusesIsSaidInWords() throws {
        try Data().write(to: test.folder)
        let copy = LocalCopy(folder: test.folder.appending(path: "club/library"))
        let notice = try #require(copy.takeNotice())
        #expect(
            notice.hasPrefix("The local copy of this club cannot be written: Not a directory."))
        #expect(!notice.contains("Error"))
    }
}
