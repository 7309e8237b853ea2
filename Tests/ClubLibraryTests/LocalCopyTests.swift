import ClubStore
import Foundation
import Testing

@testable import ClubLibrary

@Suite struct LocalCopyTests {
    let test = TestLibrary()

    @Test func whatWasListedAndSeenIsThereAtTheNextStart() throws {
        let (a, b) = (try makeFile("/a.txt", "one"), try makeFile("/photos/b.jpg"))
        #expect(try test.copy.listing() == nil)
        var reported = makeListing([a, b])
        reported.skipped = ["bad\0name", "/"]
        try test.copy.replaceListing(with: reported)
        try test.copy.keep("one", of: a)

        let copy = test.reopened()
        let listing = try #require(try copy.listing())
        #expect(Set(listing.entries) == [.file(a), .file(b)])
        #expect(listing.cursor == Cursor(rawValue: "c1"))
        #expect(listing.skipped == reported.skipped)
        #expect(try copy.string(of: a) == "one")
        #expect(try copy.text(of: a)?.file.contentHash?.count == 64)
        #expect(try copy.text(of: b) == nil)
    }

    @Test func aFileOfAnotherStateHasNoTextYet() throws {
        let old = try makeFile("/a.txt", "one")
        try test.copy.keep("one", of: old)
        #expect(try test.copy.string(of: makeFile("/a.txt", "one", revision: "r2")) == nil)
        // Servers that give one revision to two texts of a second: the length, or the hash, tells.
        #expect(try test.copy.string(of: makeFile("/a.txt", "other")) == nil)
        let hash = String(repeating: "0", count: 64)
        #expect(try test.copy.string(of: makeFile("/a.txt", "one", hash: hash)) == nil)
    }

    @Test func noListingTakesATextAway() throws {
        let (a, b) = (try makeFile("/a.txt", "one"), try makeFile("/b.txt", "two"))
        try test.copy.replaceListing(with: makeListing([a, b]))
        try test.copy.keep("one", of: a)
        try test.copy.replaceListing(with: makeListing([], cursor: "c2"))

        #expect(try test.copy.listing()?.entries.isEmpty == true)
        #expect(try test.copy.string(of: a) == "one")
        let deletions = try test.copy.deletions()
        #expect(Set(deletions.map(\.file)) == [a, b])
        #expect(deletions.first { $0.file == a }?.hasText == true)
        #expect(deletions.first { $0.file == b }?.hasText == false)
        #expect(deletions.allSatisfy { !$0.isOwn })
    }

    /// After a write that failed, or beside another program: what it has is right, but it does not have all.
    @Test func changesThatDoNotFollowLeaveNoCursor() throws {
        let (a, b) = (try makeFile("/a.txt"), try makeFile("/b.txt"))
        try test.copy.replaceListing(with: makeListing([a]))
        let changes = Listing(entries: [.file(b)], cursor: Cursor(rawValue: "c3"))
        try test.copy.apply(changes, after: Cursor(rawValue: "c2"))
        let listing = try #require(try test.copy.listing())
        #expect(Set(listing.entries) == [.file(a), .file(b)])
        #expect(listing.cursor == nil)
        // Nor do those after them.
        try test.copy.apply(
            Listing(entries: [], cursor: Cursor(rawValue: "c4")), after: Cursor(rawValue: "c3"))
        #expect(try test.copy.listing()?.cursor == nil)
        try test.copy.replaceListing(with: makeListing([a], cursor: "c5"))
        #expect(try test.copy.listing()?.cursor == Cursor(rawValue: "c5"))
    }

    @Test func largeVersionsMakeRoomAndSmallOnesStay() throws {
        for number in 0..<10 {
            try test.copy.keep("small \(number)", of: makeFile("/a.txt", revision: "s\(number)"))
        }
        for number in 0..<4 {
            let text = String(repeating: "\(number)", count: 2 << 20)
            try test.copy.keep(text, of: makeFile("/a.txt", text, revision: "l\(number)"))
        }
        let path = try makePath("/a.txt")
        #expect(try test.copy.versions(of: path).count == 14)
        try test.copy.write { try LocalCopy.prune(path, in: $0, byteLimit: 3 << 20) }
        let left = try test.copy.versions(of: path).map(\.file.revision.rawValue)
        #expect(Set(left) == Set((0..<10).map { "s\($0)" } + ["l2", "l3"]))
    }

    @Test func aDeletedFolderTakesWhatIsInItAndNothingElse() throws {
        let files = try ["/f/a", "/f/g/b", "/f.txt", "/f0", "/f"].map { try makeFile($0) }
        try test.copy.replaceListing(with: makeListing(Array(files.dropLast())))
        try test.copy.apply(
            Listing(entries: [.deleted(makePath("/f"))], cursor: Cursor(rawValue: "c2")),
            after: Cursor(rawValue: "c1"))
        let left = try #require(try test.copy.listing())
        #expect(Set(left.entries.map(\.path.string)) == ["/f.txt", "/f0"])
        #expect(left.cursor == Cursor(rawValue: "c2"))
    }

    @Test func keepsEveryTextThatANoteHasHad() throws {
        for number in 1...3 {
            let file = try makeFile("/a.txt", "text \(number)", revision: "r\(number)")
            try test.copy.keep("text \(number)", of: file)
        }
        let versions = try test.copy.versions(of: makePath("/a.txt"))
        #expect(versions.map(\.file.revision.rawValue) == ["r3", "r2", "r1"])
        let oldest = try #require(versions.last)
        #expect(try test.copy.text(ofVersion: oldest.id) == Data("text 1".utf8))
    }

    @Test func keepsSoManyVersionsOfANote() throws {
        for number in 1...60 {
            try test.copy.keep(
                "\(number)", of: makeFile("/a.txt", "\(number)", revision: "r\(number)"))
        }
        let versions = try test.copy.versions(of: makePath("/a.txt"))
        #expect(versions.count == 50)
        #expect(versions.first?.file.revision.rawValue == "r60")
    }

    @Test func theFilesAreTheOwnersAlone() throws {
        try test.copy.replaceListing(with: makeListing([makeFile("/a.txt")]))
        let names = try FileManager.default.contentsOfDirectory(atPath: test.folder.path)
        #expect(names.contains("library.sqlite-wal"))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: test.folder.appendingPathComponent(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let folder = try FileManager.default.attributesOfItem(atPath: test.folder.path)
        #expect(folder[.posixPermissions] as? Int == 0o700)
    }

    @Test func thumbnailsBelongToAState() throws {
        let path = try makePath("/photos/a.jpg")
        let (old, new) = (Revision(rawValue: "r1"), Revision(rawValue: "r2"))
        let bytes = Data([1, 2])
        try test.copy.keepThumbnail(bytes, of: path, revision: old, size: .w128h128)
        let next = test.reopened()
        #expect(try next.thumbnail(of: path, revision: old, size: .w128h128) == bytes)
        #expect(try next.thumbnail(of: path, revision: old, size: .w64h64) == nil)
        #expect(try next.thumbnail(of: path, revision: new, size: .w128h128) == nil)
    }

    @Test func pathsWithAnyCharactersAreKept() throws {
        let names = [
            "/ä ö", "/日本語", "/\u{1}\u{7f}", "/%_\\", "/'\"", "/-- ; DROP", "/e\u{301}", "/é",
        ]
        let files = try names.map { try makeFile($0) }
        try test.copy.replaceListing(with: makeListing(files))
        let listed = try #require(try test.copy.listing()).entries.map {
            Array($0.path.string.utf8)
        }
        #expect(Set(listed) == Set(names.map { Array($0.utf8) }))
    }
}
