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

    /// A database of the version before.
    @Test func anOlderDatabaseGetsTheTable() throws {
        do {
            let database = try Database(path: "")
            try Schema.migrate(database)
            try database.execute("DROP TABLE own_writes")
            try database.execute("PRAGMA user_version = 1")
            try Schema.migrate(database)
            try OwnWrites.insert(try makeFile("/a.txt"), in: database)
        }
    }
}
