import DropboxAPI
import Foundation
import Testing

@Suite struct RevisionTests {
    private func history(
        _ club: TestClub, _ path: String, _ mode: ListRevisionsArg.Mode = .path
    ) async throws -> ListRevisionsResult {
        try await club.call(
            Routes.listRevisions, ListRevisionsArg(path: path, mode: mode, limit: 100))
    }

    /// Saves a note several times, as its editor does.
    private func save(
        _ texts: [String], to path: String, in club: TestClub
    ) async throws -> [FileMetadata] {
        var files: [FileMetadata] = []
        for text in texts {
            files.append(try await club.upload(text, to: path, mode: .overwrite))
        }
        return files
    }

    @Test func everySavedTextIsARevision() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let files = try await save(["one", "two", "three"], to: "/a.txt", in: club)
            let list = try await history(club, "/A.txt")
            #expect(list.entries == files.reversed())
            #expect(!list.isDeleted)
            #expect(list.serverDeleted == nil)
            #expect(!list.hasMore)
            #expect(list.entries.allSatisfy { $0.isRestorable == nil })
            let more = try await club.call(
                Routes.listRevisions,
                ListRevisionsArg(path: "/a.txt", includeRestorableInfo: true))
            #expect(more.entries.map(\.isRestorable) == [true, true, true])
            // Nothing of it is in the club.
            #expect(try await club.list().entries.map(\.sketch) == ["+/a.txt"])
            #expect(club.staged.isEmpty)
        }
    }

    @Test func anEarlierRevisionCanBeReadAndDescribed() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let files = try await save(["one", "two"], to: "/a.txt", in: club)
            let old = "rev:" + files[0].revision
            #expect(try await club.download(old) == "one")
            #expect(try await club.metadata(old) == .file(files[0]))
            let reply = try await club.send(
                Routes.download, DownloadArg(path: old), headers: [("Range", "bytes=1-")])
            #expect(reply.status == 206)
            #expect(reply.text == "ne")
            #expect(
                try await club.failure(Routes.download, DownloadArg(path: "rev:0123456789"))
                    == .path(.notFound))
        }
    }

    @Test func listingRevisionsTurnsPages() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let files = try await save((1...5).map { "text \($0)" }, to: "/a.txt", in: club)
            var found: [FileMetadata] = []
            var before: String?
            while true {
                let page = try await club.call(
                    Routes.listRevisions,
                    ListRevisionsArg(path: "/a.txt", limit: 2, beforeRevision: before))
                #expect(page.entries.count <= 2)
                #expect(!page.isDeleted)
                found += page.entries
                before = page.entries.last?.revision
                if !page.hasMore { break }
            }
            #expect(found == files.reversed())
            let wrong = ListRevisionsArg(path: "/a.txt", beforeRevision: "0123456789")
            #expect(
                try await club.failure(Routes.listRevisions, wrong) == .invalidBeforeRevision)
            let byID = ListRevisionsArg(
                path: "/a.txt", mode: .id, beforeRevision: files[0].revision)
            #expect(
                try await club.failure(Routes.listRevisions, byID) == .beforeRevisionNotSupported)
        }
    }

    @Test func aDeletedFileIsListedAndComesBack() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let time = Timestamp("2013-08-10T23:21:03Z")
            let file = try await club.call(
                Routes.upload, UploadArg(commit: CommitInfo(path: "/a.txt", clientModified: time)),
                body: "text")
            let cursor = try await club.list().cursor
            try await club.call(Routes.delete, DeleteArg(path: "/a.txt"))
            #expect(!club.exists("a.txt"))
            #expect(club.staged.isEmpty)
            for path in ["/a.txt", file.id] {
                let list = try await history(club, path)
                #expect(list.isDeleted)
                #expect(list.serverDeleted != nil)
                #expect(list.entries == [file])
            }
            let back = try await club.call(
                Routes.restore, RestoreArg(path: "/a.txt", revision: file.revision))
            #expect(club.read("a.txt") == "text")
            #expect(back.id == file.id)
            #expect(back.clientModified == time)
            #expect(back.contentHash == file.contentHash)
            #expect(back.revision != file.revision)
            #expect(try await club.metadata("/a.txt") == .file(back))
            let list = try await history(club, "/a.txt")
            #expect(!list.isDeleted)
            #expect(list.entries == [back, file])
            #expect(
                try await club.changes(since: cursor).entries.map(\.sketch) == ["+/a.txt"])
        }
    }

    @Test func bringingBackPutsAsideWhatIsThere() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let files = try await save(["one", "two"], to: "/a.txt", in: club)
            let back = try await club.call(
                Routes.restore, RestoreArg(path: "/a.txt", revision: files[0].revision))
            #expect(club.read("a.txt") == "one")
            #expect(
                try await history(club, "/a.txt").entries.map(\.revision) == [
                    back.revision, files[1].revision, files[0].revision,
                ])
            #expect(try await club.download("rev:" + files[1].revision) == "two")
        }
    }

    @Test func aRevisionCanBeBroughtBackElsewhere() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let files = try await save(["one", "two"], to: "/a.txt", in: club)
            let copy = try await club.call(
                Routes.restore, RestoreArg(path: "/old/a.txt", revision: files[0].revision))
            #expect(copy.pathDisplay == "/old/a.txt")
            #expect(copy.id != files[0].id)
            #expect(club.read("old/a.txt") == "one")
            #expect(club.read("a.txt") == "two")
        }
    }

    @Test func whatCannotBeBroughtBackIsSaid() async throws {
        try await TestClub.with(["a.txt": "1", "f/x": "2"]) { (club: TestClub) async throws in
            let file = try #require(try await club.metadata("/a.txt").file)
            let same = try await club.call(
                Routes.restore, RestoreArg(path: "/A.txt", revision: file.revision))
            #expect(same == file)
            for (path, revision, error) in [
                ("/a.txt", "0123456789", RestoreError.invalidRevision),
                ("/none", "0123456789", .pathLookup(.notFound)),
                ("/f", "0123456789", .pathLookup(.notFile)),
            ] {
                #expect(
                    try await club.failure(
                        Routes.restore, RestoreArg(path: path, revision: revision)) == error)
            }
            try await club.call(Routes.delete, DeleteArg(path: "/a.txt"))
            #expect(
                try await club.failure(
                    Routes.restore, RestoreArg(path: "/a.txt", revision: "0123456789"))
                    == .invalidRevision)
            for (path, error) in [
                ("/f", WriteError.conflict(.folder)), ("/f/x/y", .conflict(.fileAncestor)),
                ("/.hidden", .disallowedName),
            ] {
                #expect(
                    try await club.failure(
                        Routes.restore, RestoreArg(path: path, revision: file.revision))
                        == .pathWrite(error))
            }
        }
    }

    @Test func aFileIsFollowedThroughMovesByItsIdentifierOnly() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let files = try await save(["one", "two"], to: "/a.txt", in: club)
            try await club.call(
                Routes.move, RelocationArg(fromPath: "/a.txt", toPath: "/b.txt"))
            let third = try await club.upload("three", to: "/b.txt", mode: .overwrite)
            #expect(
                try await history(club, "/b.txt").entries.map(\.revision) == [
                    third.revision, files[1].revision,
                ])
            #expect(
                try await history(club, "/b.txt", .id).entries.map(\.revision) == [
                    third.revision, files[1].revision, files[0].revision,
                ])
            let left = try await history(club, "/a.txt")
            #expect(left.isDeleted)
            #expect(left.serverDeleted == nil)
            #expect(left.entries.map(\.revision) == [files[0].revision])
        }
    }

    @Test func whatWasInADeletedFolderComesBack() async throws {
        try await TestClub.with(["f/g/hand.txt": "by hand"]) {
            (club: TestClub) async throws in
            let hand = try #require(try await club.metadata("/f/g/hand.txt").file)
            let file = try await club.upload("text", to: "/f/a.txt")
            try await club.call(Routes.delete, DeleteArg(path: "/f"))
            #expect(!club.exists("f"))
            #expect(club.staged.isEmpty)
            for old in [hand, file] {
                let path = try #require(old.pathDisplay)
                let list = try await history(club, path)
                #expect(list.isDeleted)
                #expect(list.entries == [old])
                try await club.call(
                    Routes.restore, RestoreArg(path: path, revision: old.revision))
            }
            #expect(club.read("f/g/hand.txt") == "by hand")
            #expect(club.read("f/a.txt") == "text")
        }
    }

    @Test func deletedThingsAreToldOnRequest() async throws {
        try await TestClub.with(["f/x.txt": "1"]) { (club: TestClub) async throws in
            let file = try await club.upload("text", to: "/a.txt")
            try await club.call(Routes.delete, DeleteArg(path: "/a.txt"))
            try await club.call(Routes.delete, DeleteArg(path: "/f"))
            let gone = DeletedMetadata(name: "a.txt", pathLower: "/a.txt", pathDisplay: "/a.txt")
            for path in ["/A.txt", "ns:1/a.txt", file.id] {
                #expect(
                    try await club.call(
                        Routes.getMetadata, GetMetadataArg(path: path, includeDeleted: true))
                        == .deleted(gone))
                #expect(
                    try await club.failure(Routes.getMetadata, GetMetadataArg(path: path))
                        == .path(.notFound))
            }
            var list = try await club.call(
                Routes.listFolder, ListFolderArg(path: "", includeDeleted: true))
            #expect(list.entries.map(\.sketch) == ["-/a.txt", "-/f"])
            list = try await club.call(
                Routes.listFolder, ListFolderArg(path: "", recursive: true, includeDeleted: true))
            #expect(list.entries.map(\.sketch) == ["-/a.txt", "-/f", "-/f/x.txt"])
        }
    }

    @Test func aFileThatWasReplacedWhileSomebodyWroteItKeepsTheirWords() async throws {
        try await TestClub.with(["a.txt": "begun"]) { (club: TestClub) async throws in
            let old = try #require(try await club.metadata("/a.txt").file)
            let writer = try #require(FileHandle(forUpdatingAtPath: club.folder + "/a.txt"))
            try await club.upload("from elsewhere", to: "/a.txt", mode: .update(old.revision))
            try writer.seekToEnd()
            try writer.write(contentsOf: Data(" and finished".utf8))
            try writer.close()
            #expect(club.read("a.txt") == "from elsewhere")
            let entries = try await history(club, "/a.txt").entries
            #expect(entries.count == 2)
            let words = try #require(entries.last)
            #expect(words.revision != old.revision)
            #expect(try await club.download("rev:" + words.revision) == "begun and finished")
        }
    }
}
