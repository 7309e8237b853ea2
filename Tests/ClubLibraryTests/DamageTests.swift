import ClubStore
import Foundation
import Testing

@testable import ClubLibrary

@Suite struct DamageTests {
    let test = TestLibrary()

    /// A closed database with a note, a version and a change that waits.
    private func fill() throws {
        let copy = LocalCopy(folder: test.folder)
        let file = try makeFile("/a.txt", "one")
        try copy.replaceListing(with: makeListing([file]))
        try copy.keep("one", of: file)
        try copy.enqueue(.write(Data("two".utf8), at: file.path, mode: .update(file.revision)))
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: test.folder.path).sorted()
    }

    @Test func whatIsNoDatabaseIsSetAside() throws {
        try FileManager.default.createDirectory(
            at: test.folder, withIntermediateDirectories: true)
        try Data(repeating: 0x5a, count: 5000).write(to: test.database)
        let notice = try #require(test.copy.takeNotice())
        #expect(notice.contains("damaged") && notice.contains("library-damaged.sqlite"))
        #expect(test.copy.takeNotice() == nil)
        #expect(try names().contains("library-damaged.sqlite"))
        try test.copy.replaceListing(with: makeListing([makeFile("/a.txt")]))
        #expect(try test.reopened().listing()?.entries.count == 1)
    }

    @Test func aNewerOneIsSetAsideAndItsChangesAreKept() throws {
        try fill()
        try Database(path: test.database.path).execute("PRAGMA user_version = 99")
        let notice = try #require(test.copy.takeNotice())
        #expect(notice.contains("newer") && notice.contains("The change that waited"))
        #expect(try test.copy.waitingChanges().map(\.path.string) == ["/a.txt"])
        let change = try #require(try test.copy.waitingChanges().first)
        #expect(try test.copy.text(ofChange: change.id) == Data("two".utf8))
        #expect(try test.copy.versions(of: makePath("/a.txt")).count == 2)
        #expect(try test.copy.listing() == nil)
    }

    @Test func damageThatShowsLaterIsMendedToo() throws {
        try fill()
        let copy = LocalCopy(folder: test.folder)
        #expect(copy.takeNotice() == nil)
        // Everything behind the schema: the tables' own pages.
        let handle = try FileHandle(forWritingTo: test.database)
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 4096 * 2)
        try handle.write(contentsOf: Data(repeating: 0xa5, count: Int(size) - 4096 * 2))
        try handle.close()
        let other = LocalCopy(folder: test.folder)
        for number in 0..<50 {
            _ = try? other.listing()
            try other.keep("n", of: makeFile("/\(number)", "n"))
        }
        try other.replaceListing(with: makeListing([makeFile("/b.txt")]))
        #expect(try other.listing()?.entries.count == 1)
        #expect(try names().contains("library-damaged.sqlite"))
    }

    @Test func whereNothingCanBeWrittenItWorksInMemoryAndSaysSo() throws {
        // A file where the folder should be.
        try Data().write(to: test.folder)
        #expect(!test.copy.isDurable)
        #expect(test.copy.takeNotice() != nil)
        try test.copy.replaceListing(with: makeListing([makeFile("/a.txt")]))
        #expect(try test.copy.listing()?.entries.count == 1)
        #expect(throws: LibraryError.notDurable) {
            try test.copy.enqueue(.delete(makeFile("/a.txt")))
        }
    }

    @Test func aFolderInItsPlaceIsSetAside() throws {
        try FileManager.default.createDirectory(
            at: test.database, withIntermediateDirectories: true)
        #expect(test.copy.isDurable)
        #expect(test.copy.takeNotice()?.contains("library-unwritable.sqlite") == true)
    }

    /// Its holder would go on writing into the file that was set aside.
    @Test func whoHasADatabaseThatIsSetAsideGoesOnInTheNewOne() throws {
        let first = test.copy
        try first.enqueue(.write(Data("a".utf8), at: makePath("/a.txt"), mode: .add))
        try Database(path: test.database.path).execute("PRAGMA user_version = 99")
        #expect(test.reopened().takeNotice()?.contains("set aside") == true)
        try first.enqueue(.write(Data("b".utf8), at: makePath("/b.txt"), mode: .add))
        for copy in [first, test.reopened()] {
            #expect(try copy.waitingChanges().map(\.path.string) == ["/a.txt", "/b.txt"])
        }
    }

    @Test func whatTwoFindDamagedIsSetAsideOnce() throws {
        try fill()
        let copies = [test.copy, test.reopened()]
        for copy in copies + copies { copy.replace(0, because: .damaged) }
        #expect(
            try names().filter { $0.hasPrefix("library-damaged") && $0.hasSuffix(".sqlite") }.count
                == 1)
        for copy in copies { #expect(try copy.waitingChanges().count == 1) }
    }

    @Test func oneThatAnotherProgramHoldsIsLeftAlone() throws {
        try fill()
        let other = try Database(path: test.database.path)
        try other.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
        #expect(!test.copy.isDurable)
        #expect(test.copy.takeNotice()?.contains("locked") == true)
        try other.execute("COMMIT")
        #expect(try names().allSatisfy { !$0.contains("library-") })
    }
}
