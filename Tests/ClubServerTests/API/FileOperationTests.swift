import DropboxAPI
import Foundation
import Testing

@Suite struct FileOperationTests {
    @Test func foldersAreMade() async throws {
        try await TestClub.with(["a.txt": "1"]) { (club: TestClub) async throws in
            let made = try await club.call(Routes.createFolder, CreateFolderArg(path: "/x/Photos"))
            #expect(made.metadata.pathDisplay == "/x/Photos")
            #expect(club.exists("x/Photos"))
            #expect(
                try await club.failure(Routes.createFolder, CreateFolderArg(path: "/X/photos"))
                    == .path(.conflict(.folder)))
            #expect(
                try await club.failure(Routes.createFolder, CreateFolderArg(path: "/a.txt"))
                    == .path(.conflict(.file)))
            #expect(
                try await club.failure(Routes.createFolder, CreateFolderArg(path: "/a.txt/b"))
                    == .path(.conflict(.fileAncestor)))
            let other = try await club.call(
                Routes.createFolder, CreateFolderArg(path: "/x/Photos", autorename: true))
            #expect(other.metadata.name == "Photos (1)")
        }
    }

    @Test func deletingTakesAFileOrAFolderAway() async throws {
        try await TestClub.with(["a.txt": "1", "f/b.txt": "2", "f/g/c.txt": "3"]) {
            (club: TestClub) async throws in
            let cursor = try await club.list(recursive: true).cursor
            let file = try #require(try await club.metadata("/a.txt").file)
            let gone = try await club.call(Routes.delete, DeleteArg(path: "/A.txt"))
            #expect(gone.metadata == .file(file))
            try await club.call(Routes.delete, DeleteArg(path: "/f"))
            #expect(!club.exists("a.txt"))
            #expect(!club.exists("f"))
            #expect(club.staged.isEmpty)
            let changes = try await club.changes(since: cursor).entries.map(\.sketch)
            #expect(Set(changes) == ["-/a.txt", "-/f", "-/f/b.txt", "-/f/g", "-/f/g/c.txt"])
            #expect(
                try await club.failure(Routes.delete, DeleteArg(path: "/a.txt"))
                    == .pathLookup(.notFound))
        }
    }

    @Test func deletingObeysTheRevision() async throws {
        try await TestClub.with(["a.txt": "1", "f/x": "2"]) { (club: TestClub) async throws in
            let file = try #require(try await club.metadata("/a.txt").file)
            try club.write("changed by hand", to: "a.txt")
            #expect(
                try await club.failure(
                    Routes.delete, DeleteArg(path: "/a.txt", parentRevision: file.revision))
                    == .pathWrite(.conflict(.file)))
            #expect(club.read("a.txt") == "changed by hand")
            let new = try #require(try await club.metadata("/a.txt").file)
            try await club.call(
                Routes.delete, DeleteArg(path: "/a.txt", parentRevision: new.revision))
            #expect(!club.exists("a.txt"))
        }
    }

    @Test func deletingAFolderFollowsNoLinks() async throws {
        try await TestClub.with(["f/x": "1"]) { (club: TestClub) async throws in
            let outside = club.home + "/outside"
            try TestClub.write("precious", to: outside + "/file.txt")
            try FileManager.default.createSymbolicLink(
                atPath: club.folder + "/f/link", withDestinationPath: outside)
            // Clients do not see the link: it stays, and so does where it leads.
            #expect(
                try await club.failure(Routes.delete, DeleteArg(path: "/f"))
                    == .pathWrite(.conflict(.folder)))
            #expect(club.exists("f/link/file.txt"))
            try FileManager.default.removeItem(atPath: club.folder + "/f/link")
            try await club.call(Routes.delete, DeleteArg(path: "/f"))
            #expect(!club.exists("f"))
            #expect(FileManager.default.fileExists(atPath: outside + "/file.txt"))
        }
    }

    @Test(arguments: [".private", "todo.txt~", "Thumbs.db", "deep/.git/config"])
    func deletingAFolderTakesNothingThatIsNotShown(name: String) async throws {
        try await TestClub.with(["f/a.txt": "1", "f/\(name)": "precious"]) {
            (club: TestClub) async throws in
            #expect(
                try await club.failure(Routes.delete, DeleteArg(path: "/f"))
                    == .pathWrite(.conflict(.folder)))
            #expect(club.read("f/a.txt") == "1")
            #expect(club.read("f/\(name)") == "precious")
            #expect(club.staged.isEmpty)
            #expect(try await club.list("/f").entries.map(\.sketch).contains("+/f/a.txt"))
        }
    }

    @Test func deletingAFolderTakesNoNameThatIsNotUTF8() async throws {
        try await TestClub.with(["f/a.txt": "1"]) { (club: TestClub) async throws in
            let path = Array((club.folder + "/f/").utf8) + [0xFF, 0xFE, 0]
            let descriptor = path.withUnsafeBytes {
                open($0.bindMemory(to: CChar.self).baseAddress!, O_CREAT | O_WRONLY, 0o600)
            }
            #expect(descriptor >= 0)
            close(descriptor)
            #expect(
                try await club.failure(Routes.delete, DeleteArg(path: "/f"))
                    == .pathWrite(.conflict(.folder)))
            #expect(club.read("f/a.txt") == "1")
        }
    }

    @Test func movingKeepsIdentifierAndRevision() async throws {
        try await TestClub.with(["a.txt": "1", "f/b.txt": "2"]) { (club: TestClub) async throws in
            let before = try #require(try await club.metadata("/a.txt").file)
            let moved = try await club.call(
                Routes.move, RelocationArg(fromPath: "/a.txt", toPath: "/new/place/c.txt"))
            let after = try #require(moved.metadata.file)
            #expect(after.pathDisplay == "/new/place/c.txt")
            #expect(after.id == before.id)
            #expect(after.revision == before.revision)
            #expect(club.read("new/place/c.txt") == "1")
            #expect(!club.exists("a.txt"))
            let inner = try #require(try await club.metadata("/f/b.txt").file)
            try await club.call(Routes.move, RelocationArg(fromPath: "/f", toPath: "/g"))
            #expect(try await club.metadata("/g/b.txt").file?.id == inner.id)
            #expect(try await club.download(inner.id) == "2")
        }
    }

    @Test func movingIsRefusedWhereItCannotBe() async throws {
        try await TestClub.with(["a.txt": "1", "b.txt": "2", "f/x": "3"]) {
            (club: TestClub) async throws in
            func error(_ from: String, _ to: String) async throws -> RelocationError {
                try await club.failure(Routes.move, RelocationArg(fromPath: from, toPath: to))
            }
            #expect(try await error("/none", "/c") == .fromLookup(.notFound))
            #expect(try await error("/a.txt", "/B.TXT") == .to(.conflict(.file)))
            #expect(try await error("/a.txt", "/f") == .to(.conflict(.folder)))
            #expect(try await error("/a.txt", "/b.txt/c") == .to(.conflict(.fileAncestor)))
            #expect(try await error("/f", "/F/g") == .cannotMoveFolderIntoItself)
            #expect(try await error("/a.txt", "/a.txt") == .duplicatedOrNestedPaths)
            #expect(try await error("/a.txt", "/.hidden") == .to(.disallowedName))
            #expect(club.read("a.txt") == "1")
            let renamed = try await club.call(
                Routes.move, RelocationArg(fromPath: "/a.txt", toPath: "/b.txt", autorename: true))
            #expect(renamed.metadata.sketch == "+/b (1).txt")
        }
    }

    @Test func aNameCanChangeItsCase() async throws {
        try await TestClub.with(["a.txt": "1", "f/x": "2"]) { (club: TestClub) async throws in
            let moved = try await club.call(
                Routes.move, RelocationArg(fromPath: "/a.txt", toPath: "/A.txt"))
            #expect(moved.metadata.sketch == "+/A.txt")
            #expect(club.read("A.txt") == "1")
            try await club.call(Routes.move, RelocationArg(fromPath: "/f", toPath: "/F"))
            #expect(try await club.list("/f").entries.map(\.sketch) == ["+/F/x"])
        }
    }

    @Test func copyingMakesSomethingNew() async throws {
        try await TestClub.with(["f/a.txt": "1", "f/g/b.txt": "2", "f/.hidden": "3"]) {
            (club: TestClub) async throws in
            let original = try #require(try await club.metadata("/f/a.txt").file)
            let copy = try await club.call(
                Routes.copy, RelocationArg(fromPath: "/f", toPath: "/copy of f"))
            #expect(copy.metadata.folder?.name == "copy of f")
            let file = try #require(try await club.metadata("/copy of f/a.txt").file)
            #expect(file.id != original.id)
            #expect(file.contentHash == original.contentHash)
            #expect(club.read("copy of f/g/b.txt") == "2")
            #expect(!club.exists("copy of f/.hidden"))
            #expect(club.staged.isEmpty)
            let again = try await club.call(
                Routes.copy,
                RelocationArg(fromPath: "/f/a.txt", toPath: "/f/a.txt", autorename: true))
            #expect(again.metadata.sketch == "+/f/a (1).txt")
        }
    }

    /// A copy is as old as its original, whose hash is known.
    @Test func aCopyKeepsTimeAndHash() async throws {
        try await TestClub.with(["by hand.txt": "12"]) { (club: TestClub) async throws in
            let time = Timestamp(secondsSince1970: 1_600_000_000)
            let original = try await club.call(
                Routes.upload,
                UploadArg(commit: CommitInfo(path: "/f/a.txt", clientModified: time)), body: "1")
            let copied = try await club.call(
                Routes.copy, RelocationArg(fromPath: "/f/a.txt", toPath: "/b.txt"))
            let file = try #require(copied.metadata.file)
            #expect(file.contentHash == original.contentHash)
            #expect(file.clientModified == time)
            #expect(file.serverModified >= original.serverModified)
            #expect(file.id != original.id && file.revision != original.revision)
            let status = try FileManager.default.attributesOfItem(atPath: club.folder + "/b.txt")
            let date = try #require(status[.modificationDate] as? Date)
            #expect(Int64(date.timeIntervalSince1970) == time.secondsSince1970)

            try await club.call(Routes.copy, RelocationArg(fromPath: "/f", toPath: "/g"))
            let inside = try await club.list("/g").entries.first?.file
            #expect(inside?.contentHash == original.contentHash)
            #expect(inside?.clientModified == time)

            // Nobody has needed its hash yet.
            let new = try await club.call(
                Routes.copy, RelocationArg(fromPath: "/by hand.txt", toPath: "/new.txt"))
            #expect(new.metadata.file?.contentHash == ContentHash(of: Array("12".utf8)))
        }
    }
}
