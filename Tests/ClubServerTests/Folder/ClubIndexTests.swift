@testable import ClubServer
import DropboxAPI
import Glibc
import Testing

@Suite struct ClubIndexTests {
    private func file(_ number: Int) -> Entry.Content {
        .file(
            FileFacts(
                signature: FileSignature(
                    inode: UInt64(number), size: 1, seconds: 0, nanoseconds: 0)))
    }

    private func index(_ keys: String...) -> ClubIndex {
        var index = ClubIndex(epoch: "test")
        for (number, key) in keys.enumerated() {
            let name = String(key.split(separator: "/").last ?? "")
            let content: Entry.Content =
                key.hasSuffix("/") ? .folder(inode: UInt64(number)) : file(number)
            let path = key.hasSuffix("/") ? String(key.dropLast()) : key
            index.put(key: path, name: name, diskName: name, id: "id:\(number)", content: content)
        }
        return index
    }

    private func sketch(_ page: ListingPage) -> [String] {
        page.items.map { item in
            switch item {
            case .entry(_, let path): path
            case .gone(let trace): "-" + trace.path
            }
        }
    }

    @Test func aPathIsShownInTheCaseOfItsParts() {
        var index = ClubIndex(epoch: "test")
        index.put(
            key: "/photos", name: "Photos", diskName: "Photos", id: "id:1",
            content: .folder(inode: 1))
        index.put(
            key: "/photos/é.jpg", name: "É.jpg", diskName: "E\u{301}.jpg", id: "id:2",
            content: file(2))
        #expect(index.displayPath(of: "/photos/é.jpg") == "/Photos/É.jpg")
        #expect(
            index.diskNames(of: "/photos/é.jpg").map { Array($0.utf8) }
                == [Array("Photos".utf8), Array("E\u{301}.jpg".utf8)])
    }

    @Test func removingAFolderLeavesATraceOfEverythingInIt() {
        var index = index("/f/", "/f/a", "/f/g/", "/f/g/b", "/fa")
        let cursor = index.startCursor(
            folder: "", isRecursive: true, includesDeleted: false, pageSize: 100)
        var next = index.page(after: cursor).cursor
        index.remove("/f")
        let page = index.page(after: next)
        #expect(sketch(page).first == "-/f")
        #expect(Set(sketch(page)) == ["-/f", "-/f/a", "-/f/g", "-/f/g/b"])
        #expect(index.entries.keys.sorted() == ["", "/fa"])
        next = page.cursor
        #expect(sketch(index.page(after: next)).isEmpty)
    }

    @Test func aThingThatComesBackIsNoTraceAnyMore() {
        var index = index("/a")
        index.remove("/a")
        #expect(index.tombstones["/a"] != nil)
        index.put(key: "/a", name: "a", diskName: "a", id: "id:new", content: file(9))
        #expect(index.tombstones["/a"] == nil)
        #expect(index.entry(id: "id:new")?.key == "/a")
        #expect(index.entry(id: "id:0") == nil)
    }

    @Test func changesComeInPagesToo() {
        var index = index()
        let start = index.page(
            after: index.startCursor(
                folder: "", isRecursive: false, includesDeleted: false, pageSize: 2)
        ).cursor
        for number in 0..<5 {
            index.put(
                key: "/\(number)", name: "\(number)", diskName: "\(number)", id: "id:\(number)",
                content: file(number))
        }
        let one = index.page(after: start)
        let two = index.page(after: one.cursor)
        let three = index.page(after: two.cursor)
        #expect([one, two, three].map(sketch) == [["/0", "/1"], ["/2", "/3"], ["/4"]])
        #expect([one, two, three].map(\.hasMore) == [true, true, false])
    }

    @Test func cursorsOlderThanWhatIsRememberedAreVoid() {
        var index = index("/a")
        let cursor = index.page(
            after: index.startCursor(
                folder: "", isRecursive: false, includesDeleted: false, pageSize: 10)
        ).cursor
        #expect(index.canContinue(cursor))
        for number in 0..<(ClubIndex.tombstoneLimit + 1) {
            index.put(key: "/x", name: "x", diskName: "x", id: "id:x\(number)", content: file(1))
            index.restore(
                Tombstone(
                    key: "/gone \(number)", name: "", path: "", sequence: index.sequence + 1,
                    wasFile: true))
        }
        index.remove("/x")
        #expect(index.tombstones.count < ClubIndex.tombstoneLimit)
        #expect(!index.canContinue(cursor))
        var foreign = cursor
        foreign.epoch = "other"
        #expect(!index.canContinue(foreign))
        foreign = cursor
        foreign.sequence = index.sequence + 1
        #expect(!index.canContinue(foreign))
    }

    @Test(arguments: [
        ("/a/b", "/a", true), ("/ab", "/a", false), ("/a", "/a", false), ("/a", "", true),
        ("/a/b/c", "/a", true), ("/é/b", "/é", true),
    ])
    func below(key: String, folder: String, isBelow: Bool) {
        #expect(ClubIndex.isBelow(key, folder) == isBelow)
    }

    @Test func aCursorSurvivesItsTextAndNonsenseDoesNot() {
        let cursor = ListingCursor(
            epoch: "e", sequence: 7, folder: "/fötö/ü", isRecursive: true, includesDeleted: false,
            pageSize: 20, after: "/fötö/ü/x")
        #expect(ListingCursor(cursor.text) == cursor)
        #expect(cursor.text.utf8.allSatisfy { $0 < 0x7F && $0 != UInt8(ascii: "=") })
        for text in ["", "x", "AAAA", "e30", String(cursor.text.dropLast(3)), "%%%%"] {
            #expect(ListingCursor(text) == nil)
        }
    }
}

@Suite struct JournalLineTests {
    @Test(arguments: ["/plain.txt", "/tab\tnewline\nreturn\r%25.txt", "/é ☃ 😀", "/\u{301}x"])
    func aLineIsReadAsItWasWritten(key: String) throws {
        let facts = FileFacts(
            signature: FileSignature(inode: 1, size: 2, seconds: -3, nanoseconds: 4),
            contentHash: ContentHash(of: [1, 2, 3]),
            clientModified: Timestamp("2013-08-10T23:21:03Z"),
            serverModified: Timestamp(secondsSince1970: 99), revision: "0123456789abcdef")
        let name = String(decoding: key.utf8.dropFirst(), as: UTF8.self)
        let lines: [JournalLine] = [
            .header(epoch: "abc", forgotten: 3, sequence: 9),
            .entry(
                Entry(
                    key: key, name: name, diskName: name, id: "id:x", sequence: 5,
                    content: .file(facts))),
            .entry(
                Entry(
                    key: key, name: name, diskName: name, id: "id:x", sequence: 5,
                    content: .folder(inode: 77))),
            .gone(Tombstone(key: key, name: name, path: key, sequence: 8, wasFile: false)),
        ]
        for line in lines {
            let text = line.text
            #expect(text.last == "\n")
            #expect(text.dropLast().utf8.allSatisfy { $0 != 0x0A })
            #expect(JournalLine(text.dropLast()) == line)
        }
    }

    @Test func aLineCutOffAnywhereIsNoLineOrTheWholeOne() {
        let text = JournalLine.gone(
            Tombstone(key: "/a", name: "a", path: "/a", sequence: 8, wasFile: true)
        ).text.dropLast()
        for length in 0..<(text.count - 2) {
            #expect(JournalLine(text.prefix(length)) == nil)
        }
    }
}

@Suite struct CommitDecisionTests {
    private let old = ContentHash(of: [1])
    private let new = ContentHash(of: [2])

    private func entry(_ hash: ContentHash?) -> Entry {
        Entry(
            key: "/a", name: "a", diskName: "a", id: "id:1", sequence: 1,
            content: .file(
                FileFacts(
                    signature: FileSignature(inode: 1, size: 1, seconds: 1, nanoseconds: 1),
                    contentHash: hash, revision: "0123456789")))
    }

    @Test func whatAnUploadMeans() {
        func decide(
            _ existing: Entry?, _ mode: WriteMode, strict: Bool = false
        ) -> CommitDecision {
            CommitDecision(existing: existing, contentHash: new, mode: mode, isStrict: strict)
        }
        let (same, other) = (entry(new), entry(old))
        #expect(decide(nil, .add) == .create)
        #expect(decide(nil, .update("0123456789")) == .create)
        #expect(decide(nil, .update("0123456789"), strict: true) == .conflict(.file))
        #expect(decide(same, .add) == .keep)
        #expect(decide(same, .add, strict: true) == .conflict(.file))
        #expect(decide(other, .add) == .conflict(.file))
        #expect(decide(other, .overwrite) == .replace)
        #expect(decide(same, .overwrite) == .keep)
        #expect(decide(same, .overwrite, strict: true) == .replace)
        #expect(decide(other, .update("0123456789")) == .replace)
        #expect(decide(other, .update("9876543210")) == .conflict(.file))
        #expect(decide(same, .update("9876543210")) == .keep)
        #expect(decide(same, .update("9876543210"), strict: true) == .conflict(.file))
        #expect(decide(entry(nil), .add) == .conflict(.file))
        let folder = Entry(
            key: "/a", name: "a", diskName: "a", id: "id:1", sequence: 1, content: .folder(inode: 1)
        )
        #expect(decide(folder, .overwrite) == .conflict(.folder))
    }
}

@Suite struct NameTests {
    @Test func onlyOneOfSeveralNamesIsPlain() {
        let names = ["note.txt", "NOTE.txt", "Note.txt", "other", "e\u{301}", "\u{E9}"]
        for order in [names, names.reversed(), names.shuffled()] {
            let result = Dictionary(
                uniqueKeysWithValues: VisibleNames.assign(order).map {
                    (Array($0.diskName.utf8), $0.name)
                })
            #expect(result[Array("NOTE.txt".utf8)] == "NOTE.txt")
            #expect(result[Array("Note.txt".utf8)] == "Note (Case Conflict).txt")
            #expect(result[Array("note.txt".utf8)] == "note (Case Conflict 1).txt")
            #expect(result[Array("e\u{301}".utf8)] == "\u{E9}")
            #expect(result[Array("\u{E9}".utf8)] == "\u{E9} (Case Conflict)")
        }
    }

    @Test func whatIsShownKeepsItsName() {
        func names(_ disk: [String], _ shown: [String: String]) -> [String: String] {
            let shown = shown.map { (DiskName($0.key), $0.value) }
            let result = VisibleNames.assign(disk, shown: Dictionary(uniqueKeysWithValues: shown))
            return Dictionary(uniqueKeysWithValues: result.map { ($0.diskName, $0.name) })
        }
        let shown = ["b.txt": "b.txt", "B.txt": "B (Case Conflict).txt"]
        #expect(names(["B.txt", "b.txt"], shown) == shown)
        // Also when a file comes that really has such a name.
        let real = names(["B.txt", "b.txt", "B (Case Conflict).txt"], shown)
        #expect(real["B (Case Conflict).txt"] == "B (Case Conflict) (Case Conflict).txt")
        #expect(real["b.txt"] == "b.txt")
        #expect(real["B.txt"] == "B (Case Conflict).txt")
        #expect(names(["B.txt"], shown) == ["B.txt": "B.txt"])
    }

    @Test func aNameThatLooksLikeAConflictIsNotTakenTwice() {
        let names = ["a.txt", "A.txt", "a (case conflict).txt"]
        let keys = VisibleNames.assign(names).map(\.key)
        #expect(Set(keys).count == 3)
    }

    @Test(arguments: [
        ("a.txt", "a (1).txt"), ("archive.tar.gz", "archive.tar (1).gz"), ("plain", "plain (1)"),
        (".hidden", ".hidden (1)"),
    ])
    func numbers(name: String, numbered: String) {
        #expect(NameRules.numbered(name, 1) == numbered)
    }

    @Test func aNumberedNameStaysShortEnough() {
        let name = String(repeating: "é", count: 125) + ".txt"
        let numbered = NameRules.numbered(name, 12)
        #expect(numbered.utf8.count <= NameRules.byteLimit)
        #expect(numbered.hasSuffix(" (12).txt"))
    }

    @Test(arguments: [
        (ENOSPC, "insufficient_space"), (EDQUOT, "insufficient_space"),
        (EROFS, "no_write_permission"), (EACCES, "no_write_permission"),
        (ENAMETOOLONG, "malformed_path"),
    ])
    func whatTheDiskSaysHasAWord(code: Int32, tag: String) {
        guard case .refused(let error) = WriteError.failure(SystemError("write", code: code)) else {
            Issue.record("no word for \(code)")
            return
        }
        #expect(error.tags == [tag])
    }

    @Test func aFaultOfTheDiskHasNone() {
        guard case .disk = WriteError.failure(SystemError("write", code: EIO)) else {
            Issue.record("a word for EIO")
            return
        }
    }
}
