import ClubServer
import DropboxAPI
import Foundation
import Testing

@Suite struct WatchingTests {
    @Test func aFilePutIntoTheFolderAppearsByItself() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let cursor = try await club.list().cursor
            try club.write("by hand", to: "note.txt")
            let (entries, next) = try await club.nextChanges(since: cursor)
            #expect(entries.map(\.sketch) == ["+/note.txt"])
            #expect(entries.first?.file?.contentHash == ContentHash(of: Data("by hand".utf8)))
            try FileManager.default.removeItem(atPath: club.folder + "/note.txt")
            #expect(try await club.nextChanges(since: next).entries.map(\.sketch) == ["-/note.txt"])
        }
    }

    @Test func aFolderMadeByHandIsWatchedToo() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let cursor = try await club.list(recursive: true).cursor
            try FileManager.default.createDirectory(
                atPath: club.folder + "/photos/2024", withIntermediateDirectories: true)
            var (entries, next) = try await club.nextChanges(since: cursor)
            while entries.count < 2 {
                let more = try await club.nextChanges(since: next)
                (entries, next) = (entries + more.entries, more.cursor)
            }
            #expect(entries.map(\.sketch) == ["//photos", "//photos/2024"])
            try club.write("x", to: "photos/2024/a.jpg")
            #expect(
                try await club.nextChanges(since: next).entries.map(\.sketch)
                    == ["+/photos/2024/a.jpg"])
        }
    }

    @Test func aFileIsNotShownBeforeItsWriterIsDone() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let cursor = try await club.list().cursor
            let writer = open(club.folder + "/slow.txt", O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
            #expect(writer >= 0)
            #expect(Glibc.write(writer, "half", 4) == 4)
            // Told in order: when the marker is seen, the half file was seen as well.
            try club.write("x", to: "marker")
            let (first, next) = try await club.nextChanges(since: cursor)
            #expect(first.map(\.sketch) == ["+/marker"])
            let early = try await club.failure(
                Routes.getMetadata, GetMetadataArg(path: "/slow.txt"))
            #expect(early == .path(.notFound))
            #expect(Glibc.write(writer, " and half", 9) == 9)
            close(writer)
            let (second, _) = try await club.nextChanges(since: next)
            #expect(second.map(\.sketch) == ["+/slow.txt"])
            #expect(second.first?.file?.size == 13)
        }
    }

    @Test func renamingByHandKeepsIdentifierAndRevision() async throws {
        try await TestClub.with(["a.txt": "text", "f/x.txt": "x"]) {
            (club: TestClub) async throws in
            let file = try #require(try await club.metadata("/a.txt").file)
            let inner = try #require(try await club.metadata("/f/x.txt").file)
            let cursor = try await club.list(recursive: true).cursor
            try FileManager.default.moveItem(
                atPath: club.folder + "/a.txt", toPath: club.folder + "/b.txt")
            let (entries, next) = try await club.nextChanges(since: cursor)
            #expect(entries.map(\.sketch) == ["-/a.txt", "+/b.txt"])
            #expect(entries.last?.file?.id == file.id)
            #expect(entries.last?.file?.revision == file.revision)
            try FileManager.default.moveItem(
                atPath: club.folder + "/f", toPath: club.folder + "/g")
            _ = try await club.nextChanges(since: next)
            #expect(try await club.metadata("/g/x.txt").file?.id == inner.id)
            // The moved folder is still watched, under its new name.
            let later = try await club.list(recursive: true).cursor
            try club.write("y", to: "g/y.txt")
            #expect(try await club.nextChanges(since: later).entries.map(\.sketch) == ["+/g/y.txt"])
        }
    }

    @Test func touchingAFileIsNoNewRevision() async throws {
        try await TestClub.with(["note.txt": "text"]) { (club: TestClub) async throws in
            let (_, cursor) = try await club.list()
            let file = try #require(try await club.metadata("/note.txt").file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000)],
                ofItemAtPath: club.folder + "/note.txt")
            #expect(try await club.metadata("/note.txt").file?.revision == file.revision)
            try club.write("x", to: "marker")
            #expect(try await club.nextChanges(since: cursor).entries.map(\.sketch) == ["+/marker"])
        }
    }

    @Test func ourOwnWritesAreToldOnce() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let cursor = try await club.list().cursor
            let file = try await club.upload("text", to: "/a.txt")
            let (entries, next) = try await club.nextChanges(since: cursor)
            #expect(entries == [.file(file)])
            try club.write("x", to: "marker")
            #expect(try await club.nextChanges(since: next).entries.map(\.sketch) == ["+/marker"])
        }
    }

    @Test func aFileInPlaceOfAFolderAndBackAgain() async throws {
        try await TestClub.with(["thing/inside.txt": "1"]) { (club: TestClub) async throws in
            let cursor = try await club.list(recursive: true).cursor
            try FileManager.default.removeItem(atPath: club.folder + "/thing")
            try club.write("file", to: "thing")
            var (entries, next) = try await club.nextChanges(since: cursor)
            while entries.last?.sketch != "+/thing" {
                let more = try await club.nextChanges(since: next)
                (entries, next) = (entries + more.entries, more.cursor)
            }
            #expect(try await club.list(recursive: true).entries.map(\.sketch) == ["+/thing"])
            #expect(try await club.download("/thing") == "file")
        }
    }

    @Test func theLongPollEndsWhenItsClientGoes() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let cursor = try await club.list().cursor
            let body = try WireJSON.encode(ListFolderLongpollArg(cursor: cursor, timeout: 480))
            try await TestConnection.run {
                let connection = try club.connect()
                try connection.request(
                    "POST", Routes.longpoll.path, [("Content-Type", "application/json")],
                    Array(body))
                connection.close()
            }
            // Stopping waits for every connection; one that hung on would hold it for 8 minutes.
            #expect(await club.stop() == nil)
        }
    }

    @Test func theClubEndsWithItsFolder() async throws {
        let home = try TestClub.makeHome(with: ["club"])
        defer { try? FileManager.default.removeItem(atPath: home) }
        let club = try await TestClub(home: home)
        try FileManager.default.removeItem(atPath: home + "/club")
        let error = await club.end()
        #expect(error?.code == .folderGone)
        #expect(error?.message.contains(home + "/club") == true)
    }

    @Test(arguments: ["club", "elsewhere/club"])
    func theClubEndsWithItsFolderHoweverSlowlyThatGoesAndWherever(place: String) async throws {
        let home = try TestClub.makeHome(with: ["club", "elsewhere"])
        defer { try? FileManager.default.removeItem(atPath: home) }
        let club = try await TestClub(home: home)
        let cursor = try await club.list().cursor
        let folder = home + "/" + place
        if folder != club.folder { #expect(rename(club.folder, folder) == 0) }
        try FileManager.default.removeItem(atPath: folder + "/.byteclub")
        try TestClub.write("x", to: folder + "/marker")
        let (_, next) = try await club.nextChanges(since: cursor)
        #expect(unlink(folder + "/marker") == 0)
        _ = try await club.nextChanges(since: next)
        // All that happened in the folder was told, and nothing more happens in it.
        #expect(rmdir(folder) == 0)
        #expect(await club.end()?.code == .folderGone)
    }

    /// A folder that was restored from a backup, say: clients must see that one.
    @Test(arguments: ["old", "elsewhere/club"])
    func theClubEndsWhenAnotherFolderTakesItsPlace(place: String) async throws {
        let home = try TestClub.makeHome(with: ["club", "elsewhere"])
        defer { try? FileManager.default.removeItem(atPath: home) }
        let club = try await TestClub(home: home)
        #expect(rename(club.folder, home + "/" + place) == 0)
        #expect(mkdir(club.folder, 0o755) == 0)
        let error = await club.end()
        #expect(error?.code == .folderGone)
        #expect(error?.message.contains(home + "/club") == true)
    }

    /// Also before the kernel's events are applied.
    @Test func nothingIsWrittenToAFolderThatWasPutAside() async throws {
        let home = try TestClub.makeHome(with: ["club"])
        defer { try? FileManager.default.removeItem(atPath: home) }
        let club = try await TestClub(home: home)
        #expect(rename(club.folder, home + "/old") == 0)
        #expect(mkdir(club.folder, 0o755) == 0)
        await #expect(throws: (any Error).self) {
            _ = try await club.upload("words", to: "/a.txt")
        }
        #expect(!FileManager.default.fileExists(atPath: home + "/old/a.txt"))
        #expect(await club.end()?.code == .folderGone)
    }
}
