import ClubStore
import Foundation
import Testing

@testable import ClubLibrary

/// What waits outlives the database, and a program that is killed at any moment.
@Suite struct OutboxFilesTests {
    enum Harm: CaseIterable {
        case headerZeroed, halfTruncated, emptied, garbage, removed

        func befall(_ database: URL) throws {
            let bytes = try Data(contentsOf: database)
            switch self {
            case .headerZeroed:
                try (Data(count: 100) + bytes.dropFirst(100)).write(to: database)
            case .halfTruncated: try bytes.prefix(bytes.count / 2).write(to: database)
            case .emptied: try Data().write(to: database)
            case .garbage: try Data(repeating: 0x5a, count: bytes.count).write(to: database)
            case .removed: try FileManager.default.removeItem(at: database)
            }
        }
    }

    let test = TestLibrary()
    private var files: OutboxFiles { OutboxFiles(beside: test.folder) }
    private let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private func add(_ text: String, at path: String) throws -> WaitingChange {
        try test.copy.enqueue(.write(Data(text.utf8), at: makePath(path), mode: .add))
        return try #require(try test.copy.waitingChanges().last)
    }

    private func waiting(in copy: LocalCopy) throws -> (changes: [WaitingChange], texts: [Data?]) {
        // A text first: it is what shows that a page is gone.
        _ = try copy.waitingChanges().map { try copy.text(ofChange: $0.id) }
        let changes = try copy.waitingChanges().map { change in
            var change = change
            change.attempts = 0
            return change
        }
        return (changes, try changes.map { try copy.text(ofChange: $0.id) })
    }

    /// A closed database in which four changes wait.
    private func fill() throws -> (changes: [WaitingChange], texts: [Data?]) {
        let copy = LocalCopy(folder: test.folder)
        let note = try makeFile("/a.txt", "one", hash: LocalCopy.hash(of: Data("one".utf8)))
        let old = try makeFile("/c.txt")
        try copy.replaceListing(with: makeListing([note, old]))
        let edited = try #require(
            try copy.enqueue(
                .write(
                    Data("two\0\n".utf8), at: note.path,
                    mode: .update(note.revision, contentHash: note.contentHash))))
        try copy.enqueue(.move(edited, to: makePath("/b.txt")))
        try copy.enqueue(.write(large, at: makePath("/new.txt"), mode: .add))
        try copy.enqueue(.delete(old))
        return try waiting(in: copy)
    }

    @Test(arguments: Harm.allCases) func whatWaitsOutlivesTheDatabase(_ harm: Harm) throws {
        let before = try fill()
        try #require(before.changes.count == 4)
        try harm.befall(test.database)
        let copy = LocalCopy(folder: test.folder)
        let after = try waiting(in: copy)
        #expect(after.changes == before.changes)
        #expect(after.texts == before.texts)
        if harm != .halfTruncated {
            #expect(copy.takeNotice()?.contains("The 4 changes that waited") == true)
            // They may have been sent: nothing is taken up into them.
            #expect(try copy.waitingChanges().allSatisfy { $0.attempts == 1 })
        }
        let new = try #require(after.changes.first { $0.path.name == "new.txt" }?.file)
        #expect(try copy.text(of: new)?.data == large)
        // The next start finds it all in the new database.
        #expect(try waiting(in: test.reopened()) == before)
        try copy.enqueue(.delete(makeFile("/z.txt")))
        #expect(try copy.waitingChanges().last?.path.name == "z.txt")
    }

    @Test func filesAreTheOwnersAloneAndLeaveWithTheirChange() throws {
        let change = try add("text", at: "/a.txt")
        #expect(files.names.count == 2)
        for name in files.names {
            let path = files.folder.appending(path: name).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
        try test.copy.complete(change, with: makeFile("/a.txt", revision: "r2"))
        #expect(files.names.isEmpty)
        let second = try add("text", at: "/b.txt")
        try test.copy.takeBack(second.id)
        #expect(files.names.isEmpty)
    }

    @Test func aChangeWhoseFileCannotBeWrittenDoesNotWait() throws {
        _ = test.copy
        try Data().write(to: files.folder)
        #expect(throws: LibraryError.self) { try add("text", at: "/a.txt") }
        #expect(try test.copy.waitingChanges().isEmpty)
    }

    /// Killed after the file, before the row.
    @Test func aFileWithoutARowWaitsAgain() throws {
        let change = try add("text", at: "/a.txt")
        var header = OutboxFiles.Header(change)
        header.id += 1
        header.path = "/b.txt"
        try files.write(header) { Data("text".utf8) }
        let copy = test.reopened()
        #expect(try copy.waitingChanges().map(\.path.string) == ["/a.txt", "/b.txt"])
        #expect(try copy.text(ofChange: header.id) == Data("text".utf8))
        #expect(try copy.waitingChanges().map(\.attempts) == [0, 1])
        #expect(copy.takeNotice() == nil)
    }

    /// The files of a save of "two" whose row was not written.
    ///
    /// - Parameter bytes: What is in the file of its text.
    private func writeLaterSave(
        replacing change: WaitingChange, bytes: String = "two"
    ) throws -> OutboxFiles.Header {
        var header = OutboxFiles.Header(change)
        header.id += 1
        (header.byteCount, header.contentHash) = (3, LocalCopy.hash(of: Data("two".utf8)))
        header.replaces = [change.id]
        try files.write(header) { Data(bytes.utf8) }
        return header
    }

    /// Killed after the file of a later save, before its row: the earlier one is part of it.
    @Test func aLaterSaveTakesTheEarlierOnesPlace() throws {
        let change = try add("one", at: "/a.txt")
        let header = try writeLaterSave(replacing: change)
        let copy = test.reopened()
        #expect(try copy.waitingChanges().map(\.id) == [header.id])
        #expect(try copy.text(ofChange: header.id) == Data("two".utf8))
        // Nor does its file bring it back, where that could not be removed.
        try files.write(OutboxFiles.Header(change)) { Data("one".utf8) }
        #expect(try test.reopened().waitingChanges().map(\.id) == [header.id])
    }

    /// Killed before the earlier one's files were removed: they must not bring it back once the later one has left.
    @Test func anEarlierSaveStaysReplacedWhenTheLaterOneHasLeft() throws {
        let change = try add("one", at: "/a.txt")
        let header = try writeLaterSave(replacing: change)
        let copy = test.reopened()
        let later = try #require(try copy.waitingChanges().first)
        #expect(later.id == header.id)
        _ = try copy.beginSending(later.id)
        try copy.complete(later, with: makeFile("/a.txt", revision: "r2"))
        #expect(try test.reopened().waitingChanges().isEmpty)
        #expect(files.names.isEmpty)
    }

    /// A later save whose text is lost replaces nothing.
    @Test func anEarlierSaveComesBackWhereTheLaterOneIsLost() throws {
        let change = try add("one", at: "/a.txt")
        _ = try writeLaterSave(replacing: change, bytes: "tw\0")
        try FileManager.default.removeItem(at: test.database)
        let copy = test.reopened()
        #expect(try copy.waitingChanges().map(\.id) == [change.id])
        #expect(try copy.text(ofChange: change.id) == Data("one".utf8))
    }

    /// Killed after the club had it, before the file was removed.
    @Test func whatHasArrivedIsNotSentAgain() throws {
        let change = try add("text", at: "/a.txt")
        try test.copy.complete(change, with: makeFile("/a.txt", revision: "r2"))
        try files.write(OutboxFiles.Header(change)) { Data("text".utf8) }
        #expect(try test.reopened().waitingChanges().isEmpty)
        #expect(files.names.isEmpty)
    }

    /// As an earlier version of Byte Club has left them.
    @Test func aRowWithoutFilesGetsThem() throws {
        let before = try fill()
        try FileManager.default.removeItem(at: files.folder)
        #expect(try waiting(in: test.reopened()) == before)
        try Harm.garbage.befall(test.database)
        #expect(try waiting(in: test.reopened()) == before)
    }

    @Test func bytesThatAreNotWholeAreNotSent() throws {
        let change = try add("text", at: "/a.txt")
        let name = try #require(OutboxFiles.Header(change).textName)
        try Data("tex\0".utf8).write(to: files.folder.appending(path: name))
        try FileManager.default.removeItem(at: test.database)
        #expect(try test.reopened().waitingChanges().isEmpty)
        // For a person to look at.
        #expect(files.names.count == 2)
    }

    /// What builds on a change learns what it is now, in its file too.
    @Test func whatFollowsIsRebasedInItsFile() throws {
        let follower = try sendFirst(of: fill().changes)
        #expect(files.headers().first?.baseRevision == "r9")
        try Harm.emptied.befall(test.database)
        #expect(try test.reopened().waitingChanges().first?.base == follower.base)
    }

    /// - Returns: What builds on it.
    private func sendFirst(of changes: [WaitingChange]) throws -> WaitingChange {
        let copy = LocalCopy(folder: test.folder)
        let sent = try #require(try copy.beginSending(changes[0].id))
        try copy.complete(sent, with: makeFile("/a.txt", revision: "r9"))
        return try #require(try copy.waitingChanges().first)
    }
}
