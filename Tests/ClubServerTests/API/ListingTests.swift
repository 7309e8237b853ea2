import DropboxAPI
import Foundation
import Testing

@Suite struct ListingTests {
    @Test func aFolderIsListedWithItsFilesAndFoldersInOrder() async throws {
        try await TestClub.with(["b.txt": "2", "A.txt": "1", "photos/p.jpg": "3"]) {
            (club: TestClub) async throws in
            #expect(
                try await club.list().entries.map(\.sketch) == ["+/A.txt", "+/b.txt", "//photos"])
            #expect(try await club.list("/PHOTOS").entries.map(\.sketch) == ["+/photos/p.jpg"])
            let all = try await club.list(recursive: true).entries
            #expect(all.map(\.sketch) == ["+/A.txt", "+/b.txt", "//photos", "+/photos/p.jpg"])
            // A recursive listing of a folder has the folder itself.
            let photos = try await club.list("/photos", recursive: true).entries
            #expect(photos.map(\.sketch) == ["//photos", "+/photos/p.jpg"])
            let file = try #require(all.first?.file)
            #expect(file.contentHash == ContentHash(of: Data("1".utf8)))
        }
    }

    @Test func pagesTogetherHaveEverythingOnce() async throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<25).map { ("note \($0).txt", "\($0)") })
        try await TestClub.with(files) { (club: TestClub) async throws in
            let first = try await club.call(
                Routes.listFolder, ListFolderArg(path: "", limit: 10))
            #expect(first.entries.count == 10)
            #expect(first.hasMore)
            let names = try await club.list(limit: 7).entries.map(\.sketch)
            #expect(names.count == 25)
            #expect(Set(names).count == 25)
        }
    }

    @Test func whatChangesWhileAFolderIsListedComesWithTheChanges() async throws {
        try await TestClub.with(["a": "1", "b": "2", "c": "3", "d": "4"]) {
            (club: TestClub) async throws in
            let first = try await club.call(Routes.listFolder, ListFolderArg(path: "", limit: 2))
            try await club.upload("new", to: "/a", mode: .overwrite)
            try await club.call(Routes.delete, DeleteArg(path: "/d"))
            let second = try await club.call(
                Routes.listFolderContinue, ListFolderContinueArg(cursor: first.cursor))
            #expect(second.entries.map(\.sketch) == ["+/c"])
            #expect(!second.hasMore)
            let changes = try await club.changes(since: second.cursor)
            #expect(changes.entries.map(\.sketch) == ["+/a", "-/d"])
        }
    }

    @Test func changesAreToldOnceAndInOrder() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let start = try await club.list().cursor
            try await club.upload("1", to: "/a.txt")
            try await club.upload("2", to: "/b.txt")
            try await club.call(Routes.move, RelocationArg(fromPath: "/a.txt", toPath: "/c.txt"))
            let (entries, cursor) = try await club.changes(since: start)
            #expect(entries.map(\.sketch) == ["+/b.txt", "-/a.txt", "+/c.txt"])
            #expect(try await club.changes(since: cursor).entries.isEmpty)
        }
    }

    @Test func aCursorSeesItsOwnFolderOnly() async throws {
        try await TestClub.with(["photos/p.txt": "1"]) { (club: TestClub) async throws in
            let top = try await club.list().cursor
            let photos = try await club.list("/photos").cursor
            let all = try await club.list(recursive: true).cursor
            try await club.upload("2", to: "/photos/q.txt")
            #expect(try await club.changes(since: top).entries.isEmpty)
            #expect(
                try await club.changes(since: photos).entries.map(\.sketch) == ["+/photos/q.txt"])
            #expect(try await club.changes(since: all).entries.map(\.sketch) == ["+/photos/q.txt"])
        }
    }

    @Test func deletedThingsAreListedOnRequest() async throws {
        try await TestClub.with(["a.txt": "1", "b.txt": "2"]) { (club: TestClub) async throws in
            try await club.call(Routes.delete, DeleteArg(path: "/a.txt"))
            let page = try await club.call(
                Routes.listFolder, ListFolderArg(path: "", includeDeleted: true))
            #expect(page.entries.map(\.sketch) == ["-/a.txt", "+/b.txt"])
            let metadata = try await club.call(
                Routes.getMetadata, GetMetadataArg(path: "/A.txt", includeDeleted: true))
            #expect(metadata.sketch == "-/a.txt")
        }
    }

    @Test func theLatestCursorKnowsEverythingSoFar() async throws {
        try await TestClub.with(["a.txt": "1"]) { (club: TestClub) async throws in
            let cursor = try await club.call(Routes.getLatestCursor, ListFolderArg(path: "")).cursor
            #expect(try await club.changes(since: cursor).entries.isEmpty)
            try await club.upload("2", to: "/b.txt")
            #expect(try await club.changes(since: cursor).entries.map(\.sketch) == ["+/b.txt"])
        }
    }

    @Test func errorsOfListing() async throws {
        try await TestClub.with(["a.txt": "1", "f/x": "2"]) { (club: TestClub) async throws in
            #expect(
                try await club.failure(Routes.listFolder, ListFolderArg(path: "/none"))
                    == .path(.notFound))
            #expect(
                try await club.failure(Routes.listFolder, ListFolderArg(path: "/a.txt"))
                    == .path(.notFolder))
            #expect(
                try await club.failure(Routes.listFolder, ListFolderArg(path: "/f/"))
                    == .path(.malformedPath(nil)))
            #expect(
                try await club.failure(Routes.getMetadata, GetMetadataArg(path: "/a.txt/x"))
                    == .path(.notFound))
            let cursor = try await club.list("/f").cursor
            try await club.call(Routes.delete, DeleteArg(path: "/f"))
            #expect(
                try await club.failure(
                    Routes.listFolderContinue, ListFolderContinueArg(cursor: cursor))
                    == .path(.notFound))
        }
    }

    @Test func aCursorOfAnotherClubIsReset() async throws {
        try await TestClub.with { (one: TestClub) async throws in
            let cursor = try await one.list().cursor
            try await TestClub.with { (other: TestClub) async throws in
                #expect(
                    try await other.failure(
                        Routes.listFolderContinue, ListFolderContinueArg(cursor: cursor)) == .reset)
                #expect(
                    try await other.failure(
                        Routes.longpoll, ListFolderLongpollArg(cursor: cursor)) == .reset)
            }
        }
    }

    @Test func whatIsNoBusinessOfOthersIsNeitherListedNorRead() async throws {
        try await TestClub.with(["a.txt": "1", ".hidden": "2", "b.txt~": "3", ".git/config": "4"]) {
            club in
            let secret = club.home + "/secret.txt"
            try TestClub.write("secret", to: secret)
            try FileManager.default.createSymbolicLink(
                atPath: club.folder + "/link.txt", withDestinationPath: secret)
            try FileManager.default.createSymbolicLink(
                atPath: club.folder + "/up", withDestinationPath: "..")
            #expect(mkfifo(club.folder + "/pipe", 0o600) == 0)
            let (entries, cursor) = try await club.list(recursive: true)
            #expect(entries.map(\.sketch) == ["+/a.txt"])
            for path in [
                "/.hidden", "/b.txt~", "/.git/config", "/link.txt", "/up/secret.txt", "/pipe",
            ] {
                let error = try await club.failure(Routes.download, DownloadArg(path: path))
                #expect(error == .path(.notFound), "\(path)")
            }
            let traversal = try await club.failure(
                Routes.download, DownloadArg(path: "/../secret.txt"))
            #expect(traversal == .path(.malformedPath(nil)))
            // And nothing is written through them.
            let through = try await club.uploadFailure("x", to: "/link.txt", mode: .overwrite)
            #expect(through.tags == ["path", "no_write_permission"])
            #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret")
            let below = try await club.uploadFailure("x", to: "/up/secret.txt", mode: .overwrite)
            #expect(below.tags.first == "path")
            #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret")
            #expect(try await club.changes(since: cursor).entries.isEmpty)
        }
    }

    @Test func strangeNamesOnTheDiskDoNoHarm() async throws {
        try await TestClub.with(["a.txt": "1"]) { (club: TestClub) async throws in
            try club.write("x", to: "two\nlines\u{1B}[31m.txt")
            let raw = Array((club.folder + "/bad-").utf8) + [0xFF, 0xFE]
            let descriptor = (raw + [0]).withUnsafeBytes { bytes in
                open(
                    bytes.baseAddress!.assumingMemoryBound(to: CChar.self), O_CREAT | O_WRONLY,
                    0o600)
            }
            #expect(descriptor >= 0)
            close(descriptor)
            let second = try await TestClubRestart.listing(of: club)
            #expect(second == ["+/a.txt", "+/two\nlines\u{1B}[31m.txt"])
            #expect(try await club.download("/two\nlines\u{1B}[31m.txt") == "x")
        }
    }

    /// One text for the language, two names for the disk: both files are shown, at the start and while it runs.
    @Test func namesThatDifferInNormalizationOnlyAreAllShown() async throws {
        let (composed, decomposed) = ("caf\u{E9}.txt", "cafe\u{301}.txt")
        let expected = ["+/caf\u{E9} (Case Conflict).txt", "+/caf\u{E9}.txt"]
        try await TestClub.with([:]) { (club: TestClub) async throws in
            try club.write("composed", to: composed)
            #expect(try await TestClubRestart.listing(of: club) == ["+/caf\u{E9}.txt"])
            try club.write("decomposed", to: decomposed)
            #expect(try await TestClubRestart.listing(of: club) == expected)
            // Who came first keeps the name.
            #expect(try await club.download("/caf\u{E9}.txt") == "composed")
            #expect(try await club.download("/caf\u{E9} (Case Conflict).txt") == "decomposed")
            try await club.call(Routes.delete, DeleteArg(path: "/caf\u{E9}.txt"))
            #expect(try await TestClubRestart.listing(of: club) == ["+/caf\u{E9}.txt"])
            #expect(try await club.download("/caf\u{E9}.txt") == "decomposed")
        }
    }

    /// Both are reported at once, and neither was there before.
    @Test func twoNamesOfOneMomentAreBothShown() async throws {
        try await TestClub.with([:]) { (club: TestClub) async throws in
            // The first of them by their bytes, and the first to come: the name is its own either way.
            try club.write("upper", to: "Twin.txt")
            try club.write("lower", to: "twin.txt")
            let found = Set(try await TestClubRestart.listing(of: club))
            #expect(found == ["+/Twin.txt", "+/twin (Case Conflict).txt"])
        }
    }

    /// A name never comes to mean another file, whatever becomes of the others.
    @Test func aNameThatIsShownStaysWithItsFile() async throws {
        let files = ["AB.txt": "one", "Ab.txt": "two", "ab.txt": "three"]
        try await TestClub.with(files) { (club: TestClub) async throws in
            #expect(try await club.download("/AB.txt") == "one")
            #expect(try await club.download("/Ab (Case Conflict).txt") == "two")
            #expect(try await club.download("/ab (Case Conflict 1).txt") == "three")
            try await club.call(Routes.delete, DeleteArg(path: "/AB.txt"))
            #expect(try await club.download("/ab (Case Conflict 1).txt") == "three")
            #expect(try await club.download("/Ab.txt") == "two")
            try club.write("four", to: "AB.txt")
            let expected: Set = [
                "+/AB (Case Conflict).txt", "+/Ab.txt", "+/ab (Case Conflict 1).txt",
            ]
            #expect(Set(try await TestClubRestart.listing(of: club)) == expected)
        }
    }

    /// It is the file's, not its name's.
    @Test func anIDStaysWithItsFileWhenAnotherOneLeaves() async throws {
        try await TestClub.with(["Note.txt": "upper", "note.txt": "lower"]) {
            (club: TestClub) async throws in
            func id(_ sketch: String) async throws -> String? {
                try await club.list().entries.first { $0.sketch == sketch }?.file?.id
            }
            let (upper, lower) = (
                try await id("+/Note.txt"), try await id("+/note (Case Conflict).txt")
            )
            #expect(upper != nil && lower != nil && upper != lower)
            try FileManager.default.removeItem(atPath: club.folder + "/Note.txt")
            #expect(try await TestClubRestart.listing(of: club) == ["+/note.txt"])
            #expect(try await id("+/note.txt") == lower)
        }
    }

    @Test func namesThatDifferInCaseOnlyAreAllShown() async throws {
        try await TestClub.with(["Note.txt": "upper", "note.txt": "lower"]) {
            (club: TestClub) async throws in
            let expected = ["+/note (Case Conflict).txt", "+/Note.txt"]
            #expect(try await club.list().entries.map(\.sketch) == expected)
            #expect(try await club.download("/note.TXT") == "upper")
            #expect(try await club.download("/note (case conflict).txt") == "lower")
            try await club.call(Routes.delete, DeleteArg(path: "/Note.txt"))
            #expect(try await club.list().entries.map(\.sketch) == ["+/note.txt"])
            #expect(try await club.download("/note.txt") == "lower")
        }
    }
}

/// A listing that has surely seen everything on the disk: the folder is asked about after a change
/// that the server itself made.
enum TestClubRestart {
    static func listing(of club: TestClub) async throws -> [String] {
        let cursor = try await club.list().cursor
        // Events come in order: when this one is told, all before it were. A file with the bytes it had raises no
        // event, so the next marker is another one.
        let marker = "zzz-marker-\(UUID())"
        try club.write("marker", to: marker)
        var entries: [Metadata] = []
        var next = cursor
        while !entries.contains(where: { $0.sketch == "+/\(marker)" }) {
            let changes = try await club.nextChanges(since: next)
            entries += changes.entries
            next = changes.cursor
        }
        return try await club.list().entries.map(\.sketch).filter { !$0.hasPrefix("+/zzz-marker-") }
    }
}
