import ClubStore
import Foundation
import Testing

@testable import ClubLibrary

/// What the programs on this computer tell one another of what they write.
@Suite struct OwnWriteTests {
    let test = TestLibrary()

    @Test func aConfirmedWriteIsKnownByItsRevision() throws {
        let file = try makeFile("/a.txt", revision: "r7")
        try test.copy.recordOwnWrite(file)
        let write = try #require(try test.reopened().ownWrites().first)
        #expect(write.made(file))
        #expect(!write.made(try makeFile("/a.txt", revision: "r8")))
        #expect(!write.made(try makeFile("/b.txt", revision: "r7")))
        #expect(!write.isUnderWay(at: Date()))
    }

    @Test func aWriteUnderWayIsKnownByItsBytes() throws {
        let data = Data("text".utf8)
        let id = try test.copy.beginOwnWrite(at: makePath("/a.txt"), data)
        let write = try #require(try test.copy.ownWrites().first)
        let hash = LocalCopy.hash(of: data)
        #expect(write.made(try makeFile("/a.txt", revision: "r9", hash: hash)))
        #expect(!write.made(try makeFile("/a.txt", revision: "r9")))
        #expect(write.isUnderWay(at: Date()))
        #expect(!write.isUnderWay(at: Date().addingTimeInterval(61)))
        try test.copy.endOwnWrite(id, as: nil)
        #expect(try test.copy.ownWrites().isEmpty)
    }

    @Test func onlyTheLatestAreKept() throws {
        for number in 0..<510 {
            try test.copy.recordOwnWrite(makeFile("/\(number).txt", revision: "r\(number)"))
        }
        let writes = try test.copy.ownWrites()
        #expect(writes.count == 501)
        #expect(writes.contains { $0.path.string == "/509.txt" })
        #expect(!writes.contains { $0.path.string == "/0.txt" })
    }

    @Test func whatTheOutboxHasSentIsOnesOwn() throws {
        let path = try makePath("/a.txt")
        _ = try test.copy.enqueue(.write(Data("text".utf8), at: path, mode: .create))
        let change = try #require(try test.copy.waitingChanges().first)
        let file = try makeFile("/a.txt", revision: "r3")
        try test.copy.complete(change, with: file)
        #expect(try test.copy.ownWrites().contains { $0.made(file) })
    }

    /// As `byteclub notes rm` does with a note that no window has listed.
    @Test func anOwnDeletionIsOnRecordAtOnce() throws {
        let file = try makeFile("/a.txt", "text", revision: "r1")
        try test.copy.keep("text", of: file)
        try test.copy.recordOwnDeletion(of: file)
        let trash = try test.reopened().trash()
        #expect(trash.map(\.file) == [file])
        #expect(trash.allSatisfy { $0.isOwn && $0.hasText })
    }

    @Test(arguments: [true, false]) func theServerTellsItTooBeforeOrAfter(_ isBefore: Bool) throws {
        let file = try makeFile("/a.txt", revision: "r1")
        try test.copy.replaceListing(with: makeListing([file]))
        let reported = Listing(entries: [.deleted(file.path)], cursor: Cursor(rawValue: "c2"))
        if isBefore { try test.copy.apply(reported, after: Cursor(rawValue: "c1")) }
        try test.copy.recordOwnDeletion(of: file)
        if !isBefore {
            // As a listing that was under way has had it.
            try test.copy.record([.file(file)])
            try test.copy.apply(reported, after: Cursor(rawValue: "c1"))
        }
        #expect(try test.copy.deletions().map(\.isOwn) == [true])
    }

    @Test func whatIsBackIsNotInTheTrash() throws {
        let file = try makeFile("/a.txt", revision: "r1")
        try test.copy.recordOwnWrite(file)
        try test.copy.recordOwnDeletion(of: file)
        #expect(try test.copy.trash().count == 1)
        // Restored in the shell: no window has listed it.
        try test.copy.recordOwnWrite(makeFile("/a.txt", revision: "r2"))
        #expect(try test.copy.trash().isEmpty)
        try test.copy.recordOwnDeletion(of: makeFile("/a.txt", revision: "r2"))
        #expect(try test.copy.trash().map(\.file.revision.rawValue) == ["r2"])
    }

    @Test func eachStateThatIsGoneIsListedForAFolderWithoutVersions() throws {
        func make(_ name: String, _ revision: String) throws -> RemoteFile {
            var file = try makeFile(name, revision: revision)
            file.contentHash = "hash of \(revision)"
            return file
        }
        let folder = try RemotePath(validating: "/photos")
        func revisions() throws -> [String] {
            try test.copy.trash(withAllStatesIn: folder).map(\.file.revision.rawValue)
        }
        try test.copy.recordOwnDeletion(of: make("/Photos/a.jpg", "r1"))
        try test.copy.recordOwnDeletion(of: make("/a.txt", "n1"))
        try test.copy.recordOwnDeletion(of: make("/a.txt", "n2"))
        let second = try make("/Photos/a.jpg", "r2")
        try test.copy.replaceListing(with: makeListing([second]))
        #expect(try revisions() == ["n2", "r1"])
        try test.copy.recordOwnDeletion(of: second)
        try test.copy.replaceListing(with: makeListing([]))
        #expect(try revisions() == ["r2", "n2", "r1"])
        // It was brought back under another name.
        var back = try make("/photos/a (2).jpg", "r3")
        back.contentHash = "hash of r1"
        try test.copy.replaceListing(with: makeListing([back]))
        #expect(try revisions() == ["r2", "n2"])
    }

    /// `byteclub notes mv`, and the server has told a window of it first.
    @Test func aMoveIsNoDeletion() throws {
        let (old, new) = (try makeFile("/a.txt"), try makeFile("/b.txt", revision: "r2"))
        try test.copy.replaceListing(with: makeListing([old]))
        let reported = Listing(
            entries: [.deleted(old.path), .file(new)], cursor: Cursor(rawValue: "c2"))
        try test.copy.apply(reported, after: Cursor(rawValue: "c1"))
        #expect(try test.copy.trash().count == 1)
        try test.copy.recordMove(of: old.path, in: old.revision, to: new)
        #expect(try test.copy.trash().isEmpty)
    }

    /// By the text, where the server tells no hash.
    @Test func whatOthersHaveMovedIsNotInTheTrash() throws {
        let (old, new) = (try makeFile("/a.txt"), try makeFile("/b.txt", revision: "r2"))
        try test.copy.replaceListing(with: makeListing([old]))
        try test.copy.keep("text", of: old)
        try test.copy.replaceListing(with: makeListing([new]))
        #expect(try test.copy.trash().count == 1)
        try test.copy.keep("text", of: new)
        #expect(try test.copy.trash().isEmpty)
    }

    /// A database of the version before.
    @Test func anOlderDatabaseGetsTheTable() throws {
        do {
            let database = try Database(path: "")
            try Schema.migrate(database)
            try database.execute("DROP TABLE own_writes")
            try database.execute("ALTER TABLE outbox DROP COLUMN made")
            try database.execute("PRAGMA user_version = 1")
            try Schema.migrate(database)
            try OwnWrites.insert(try makeFile("/a.txt"), in: database)
        }
    }
}
