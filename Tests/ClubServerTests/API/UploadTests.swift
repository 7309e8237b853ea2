import DropboxAPI
import Foundation
import TestSupport
import Testing

@testable import ClubServer

@Suite struct UploadTests {
    @Test func anUploadIsAPlainFileAndItsMetadataTellsTheTruth() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let file = try await club.upload("Hello, Felix", to: "/test.txt")
            #expect(club.read("test.txt") == "Hello, Felix")
            #expect(file.name == "test.txt")
            #expect(file.pathLower == "/test.txt")
            #expect(file.size == 12)
            #expect(file.contentHash == ContentHash(of: Data("Hello, Felix".utf8)))
            #expect(file.revision.utf8.count >= 9)
            #expect(file.id.hasPrefix("id:"))
            #expect(try await club.metadata("/TEST.txt").file == file)
            #expect(club.staged.isEmpty)
        }
    }

    @Test func missingFoldersAreMade() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let file = try await club.upload("x", to: "/Photos/Old/a.txt")
            #expect(file.pathDisplay == "/Photos/Old/a.txt")
            #expect(club.read("Photos/Old/a.txt") == "x")
            // A path in another case leads to the same folder, whose own case is shown.
            let other = try await club.upload("y", to: "/photos/OLD/b.txt")
            #expect(other.pathDisplay == "/Photos/Old/b.txt")
        }
    }

    @Test func addRefusesToReplaceAndKeepsTheBytesInASession() async throws {
        try await TestClub.with(["a.txt": "one"]) { (club: TestClub) async throws in
            let error = try await club.uploadFailure("two", to: "/a.txt")
            guard case .path(.conflict(.file), let session) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(club.read("a.txt") == "one")
            let file = try await club.call(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: UploadSessionCursor(sessionID: session, offset: 3),
                    commit: CommitInfo(path: "/b.txt")))
            #expect(file.name == "b.txt")
            #expect(club.read("b.txt") == "two")
            #expect(club.staged.isEmpty)
        }
    }

    @Test func theSameBytesAreNoConflictUnlessTheClientIsStrict() async throws {
        try await TestClub.with(["a.txt": "one"]) { (club: TestClub) async throws in
            let known = try #require(try await club.metadata("/a.txt").file)
            #expect(try await club.upload("one", to: "/a.txt") == known)
            #expect(try await club.upload("one", to: "/a.txt", mode: .update("123456789")) == known)
            let error = try await club.uploadFailure("one", to: "/a.txt", strict: true)
            #expect(error.tags == ["path", "conflict", "file"])
        }
    }

    @Test func updateWritesOnlyOverTheRevisionItKnows() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let first = try await club.upload("one", to: "/a.txt")
            let second = try await club.upload("two", to: "/a.txt", mode: .update(first.revision))
            #expect(second.revision != first.revision)
            #expect(second.id == first.id)
            let error = try await club.uploadFailure(
                "three", to: "/a.txt", mode: .update(first.revision))
            #expect(error.tags == ["path", "conflict", "file"])
            #expect(club.read("a.txt") == "two")
        }
    }

    @Test func updateSeesWhatAnotherProgramWroteAMomentAgo() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let first = try await club.upload("one", to: "/a.txt")
            // No event can have been delivered yet: the server must look for itself.
            try club.write("by hand", to: "a.txt")
            let error = try await club.uploadFailure(
                "two", to: "/a.txt", mode: .update(first.revision))
            #expect(error.tags == ["path", "conflict", "file"])
            #expect(club.read("a.txt") == "by hand")
        }
    }

    @Test func updateOfAFileThatIsGoneWritesItUnlessTheClientIsStrict() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let file = try await club.upload("one", to: "/a.txt", mode: .update("123456789abc"))
            #expect(file.size == 3)
            let error = try await club.uploadFailure(
                "two", to: "/b.txt", mode: .update("123456789abc"), strict: true)
            #expect(error.tags == ["path", "conflict", "file"])
        }
    }

    @Test func autorenameFindsAnotherName() async throws {
        try await TestClub.with(["a.txt": "one"]) { (club: TestClub) async throws in
            #expect(
                try await club.upload("two", to: "/a.txt", autorename: true).name == "a (1).txt")
            #expect(
                try await club.upload("three", to: "/A.txt", autorename: true).name == "A (2).txt")
            let copy = try await club.upload(
                "four", to: "/a.txt", mode: .update("123456789"), autorename: true)
            #expect(copy.name == "a (conflicted copy).txt")
            #expect(club.read("a.txt") == "one")
        }
    }

    @Test func aFolderIsAlwaysInTheWay() async throws {
        try await TestClub.with(["a/b.txt": "x"]) { (club: TestClub) async throws in
            let error = try await club.uploadFailure("x", to: "/A", mode: .overwrite)
            #expect(error.tags == ["path", "conflict", "folder"])
            let ancestor = try await club.uploadFailure("x", to: "/a/b.txt/c")
            #expect(ancestor.tags == ["path", "conflict", "file_ancestor"])
        }
    }

    /// A link that clients are not shown is not a note with a taken name.
    @Test func whatClientsCannotSeeIsNoConflict() async throws {
        try await TestClub.with(["real/a.txt": "x"]) { (club: TestClub) async throws in
            #expect(symlink(club.folder + "/real", club.folder + "/link") == 0)
            for path in ["/link", "/link/b.txt"] {
                let error = try await club.uploadFailure("x", to: path)
                #expect(error.tags == ["path", "no_write_permission"])
            }
            #expect(!club.exists("real/b.txt"))
        }
    }

    @Test(arguments: [
        ("/.hidden", "disallowed_name"), ("/a\u{1}b.txt", "disallowed_name"),
        ("/note.txt~", "disallowed_name"), ("/Thumbs.db", "disallowed_name"),
        ("/blank ", "malformed_path"), ("/a//b", "malformed_path"), ("/a/", "malformed_path"),
        ("/../x", "malformed_path"), ("/a/./b", "malformed_path"), ("/a\u{0}b", "malformed_path"),
        ("/" + String(repeating: "n", count: 256), "malformed_path"),
    ])
    func badNamesAreRefused(path: String, tag: String) async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let error = try await club.uploadFailure("x", to: path, mode: .overwrite)
            #expect(error.tags == ["path", tag])
        }
    }

    @Test(arguments: [
        "/ö ☃ 😀 'quoted' \"double\" \\ #1 ? 100% [a]+b&c.txt", "/-rf", "/a:b|c<d>.txt",
        "/日本語.md", "/" + String(repeating: "x", count: 255),
    ])
    func oddNamesAreKeptAsTheyAre(path: String) async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let file = try await club.upload("x", to: path)
            #expect(file.pathDisplay == path)
            #expect(club.read(String(path.dropFirst())) == "x")
            #expect(try await club.download(path) == "x")
        }
    }

    @Test func namesAreKeptInNormalisationFormC() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let file = try await club.upload("x", to: "/e\u{301}.txt")
            #expect(Array(file.name.unicodeScalars) == Array("\u{E9}.txt".unicodeScalars))
            #expect(try await club.download("/\u{E9}.txt") == "x")
            #expect(try await club.download("/E\u{301}.TXT") == "x")
        }
    }

    @Test func clientModifiedIsKeptAndShowsOnTheFile() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let time = try #require(Timestamp("2013-08-10T23:21:03Z"))
            let file = try await club.call(
                Routes.upload,
                UploadArg(commit: CommitInfo(path: "/a.txt", clientModified: time)), body: "x")
            #expect(file.clientModified == time)
            #expect(file.serverModified > time)
            let attributes = try FileManager.default.attributesOfItem(
                atPath: club.folder + "/a.txt")
            let date = try #require(attributes[.modificationDate] as? Date)
            #expect(Timestamp(date) == time)
            #expect(try await club.metadata("/a.txt").file == file)
        }
    }

    @Test func aWrongContentHashIsRefusedAndNothingIsLeft() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let error = try await club.failure(
                Routes.upload,
                UploadArg(
                    commit: CommitInfo(path: "/a.txt"), contentHash: ContentHash(of: Data("y".utf8))
                ),
                body: "x")
            #expect(error == .contentHashMismatch)
            #expect(!club.exists("a.txt"))
            #expect(club.staged.isEmpty)
        }
    }

    @Test func aReplacedFileKeepsItsPermissions() async throws {
        try await TestClub.with(["a.txt": "one"]) { (club: TestClub) async throws in
            let path = club.folder + "/a.txt"
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            try await club.upload("two", to: "/a.txt", mode: .overwrite)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o640)
        }
    }

    @Test func aFileIsSwappedNotWrittenSoAReaderKeepsTheOldOne() async throws {
        try await TestClub.with(["a.txt": "the old text"]) { (club: TestClub) async throws in
            let reader = try #require(FileHandle(forReadingAtPath: club.folder + "/a.txt"))
            try await club.upload("new", to: "/a.txt", mode: .overwrite)
            #expect(try reader.readToEnd() == Data("the old text".utf8))
            #expect(club.read("a.txt") == "new")
        }
    }

    @Test func aClientThatVanishesLeavesNothingBehind() async throws {
        try await TestClub.with(["a.txt": "old"]) { (club: TestClub) async throws in
            let argument = UploadArg(commit: CommitInfo(path: "/a.txt", mode: .overwrite))
            let header = try WireJSON.encodeForHeader(argument)
            try await TestConnection.run {
                let connection = try club.connect()
                try connection.request(
                    "POST", Routes.upload.path,
                    [
                        ("Authorization", "Bearer \(club.token)"), ("Dropbox-API-Arg", header),
                        ("Content-Type", "application/octet-stream"),
                        ("Content-Length", "1000000"),
                    ], Array(repeating: 0x61, count: 400_000))
                connection.close()
            }
            // The server notices on its own time.
            try await eventually("nothing left behind", in: URL(filePath: club.folder)) {
                club.staged.isEmpty
            }
            #expect(club.read("a.txt") == "old")
        }
    }

    @Test func oneHundredUploadsAtOnceAllArrive() async throws {
        // A client that is told “busy” asks again; here each asks once.
        var limits = ConnectionLimits()
        limits.requestsPerPeer = 100
        try await TestClub.with(change: { [limits] in $0.limits = limits }) {
            (club: TestClub) async throws in
            try await withThrowingTaskGroup { group in
                for number in 0..<100 {
                    group.addTask {
                        try await club.upload("text \(number)", to: "/many/note \(number).txt")
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await club.list("/many").entries.count == 100)
            #expect((0..<100).allSatisfy { club.read("many/note \($0).txt") == "text \($0)" })
        }
    }

    @Test func ofManyUpdatesOfOneRevisionExactlyOneWins() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let first = try await club.upload("start", to: "/a.txt")
            let winners = try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask { () -> Int in
                        do {
                            try await club.upload(
                                "text \(number)", to: "/a.txt", mode: .update(first.revision))
                            return 1
                        } catch let failure as CallFailure<UploadError> {
                            #expect(failure.error.tags == ["path", "conflict", "file"])
                            return 0
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(winners == 1)
        }
    }

    @Test func revisionsDifferEvenIfTimeSizeAndInodeDoNot() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            var revisions: Set<String> = []
            for text in ["one", "two", "six", "ten"] {
                let argument = UploadArg(
                    commit: CommitInfo(
                        path: "/a.txt", mode: .overwrite,
                        clientModified: Timestamp("2013-08-10T23:21:03Z")))
                revisions.insert(try await club.call(Routes.upload, argument, body: text).revision)
            }
            #expect(revisions.count == 4)
        }
    }

    @Test func aRefusedNameLeavesNoFoldersBehind() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            _ = try await club.uploadFailure("x", to: "/new/.hidden")
            #expect(!club.exists("new"))
        }
    }

    /// As in Dropbox, which takes 150 MiB in one request.
    @Test func aRequestThatIsTooLargeIsRefusedBeforeItIsSent() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let commit = CommitInfo(path: "/a.bin")
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(), body: "abc"
            ).sessionID
            let cursor = UploadSessionCursor(sessionID: session, offset: 3)
            let length = [("Content-Length", String(150 << 20 + 1))]
            for reply in [
                try await club.send(Routes.upload, UploadArg(commit: commit), headers: length),
                try await club.send(
                    Routes.uploadSessionStart, UploadSessionStartArg(), headers: length),
                try await club.send(
                    Routes.uploadSessionAppend, UploadSessionAppendArg(cursor: cursor),
                    headers: length),
                try await club.send(
                    Routes.uploadSessionFinish,
                    UploadSessionFinishArg(cursor: cursor, commit: commit), headers: length),
            ] {
                #expect(reply.status == 409)
                #expect(reply.text.contains("payload_too_large"), "\(reply.text)")
            }
            #expect(!club.exists("a.bin"))
            // The session is as it was.
            let file = try await club.call(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(cursor: cursor, commit: commit))
            #expect(file.size == 3)
            #expect(club.staged.isEmpty)
        }
    }

    @Test func theHiddenFolderIsMadeAgainWhenSomebodyRemovesIt() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            try await club.upload("one", to: "/a.txt")
            try FileManager.default.removeItem(atPath: club.folder + "/.byteclub")
            try await club.upload("two", to: "/b.txt")
            #expect(club.read("b.txt") == "two")
        }
    }

    @Test func leftoversOfAKilledServerAreClearedAndTheFileIsWhole() async throws {
        let home = try TestClub.makeHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        try TestClub.write("the whole note", to: home + "/club/a.txt")
        try TestClub.write("half of a new", to: home + "/club/.byteclub/upload-0123456789abcdef")
        try TestClub.write("x", to: home + "/club/.byteclub/trash-0123/deep/x.txt")
        let club = try await TestClub(home: home)
        #expect(club.staged.isEmpty)
        #expect(try await club.download("/a.txt") == "the whole note")
        #expect(try await club.list().entries.map(\.sketch) == ["+/a.txt"])
        await club.stop()
        #expect(!club.exists(".byteclub"))
    }
}
