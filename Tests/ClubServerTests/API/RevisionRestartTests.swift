import ClubServer
import DropboxAPI
import Foundation
import Testing

/// What was put aside, after a restart of the server, however it ended.
@Suite struct RevisionRestartTests {
    private func withHome(_ body: (String) async throws -> Void) async throws {
        let home = try TestClub.makeHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        try FileManager.default.createDirectory(
            atPath: home + "/club", withIntermediateDirectories: true)
        try await body(home)
    }

    /// The folder and the log of revisions.
    private func kept(in home: String) throws -> (folder: String, log: String) {
        let names = try FileManager.default.contentsOfDirectory(atPath: home + "/state")
        let folder = try #require(names.first { $0.hasSuffix(".revisions") })
        return (home + "/state/" + folder, home + "/state/" + folder + ".log")
    }

    /// The text of a revision in the only folder of those that no log knows.
    private func textSetAside(_ revision: String, in folder: String) throws -> String {
        let aside = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasPrefix("without-log-") }
        try #require(aside.count == 1)
        return try String(contentsOfFile: "\(folder)/\(aside[0])/\(revision)", encoding: .utf8)
    }

    @Test func whatWasDeletedComesBackAfterARestart() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home)
            let old = try await first.upload("one", to: "/a.txt")
            let new = try await first.upload("two", to: "/a.txt", mode: .overwrite)
            try await first.call(Routes.delete, DeleteArg(path: "/a.txt"))
            await first.stop()
            let second = try await TestClub(home: home)
            let list = try await second.call(
                Routes.listRevisions, ListRevisionsArg(path: "/a.txt"))
            #expect(list.isDeleted)
            #expect(list.entries == [new, old])
            let back = try await second.call(
                Routes.restore, RestoreArg(path: "/a.txt", revision: new.revision))
            #expect(back.id == new.id)
            #expect(second.read("a.txt") == "two")
            await second.stop()
            #expect(!second.exists(".byteclub"))
        }
    }

    /// A server killed between taking a file out of the club and putting it aside leaves it in the
    /// hidden folder, under the name of an upload, of a session or of what is to be removed.
    @Test(arguments: [
        "upload-0123", "session-0123456789abcdef", "trash-0123", "trash-0123/g/a.txt",
    ])
    func whatAKilledServerWasPuttingAsideIsFound(name: String) async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home)
            let file = try await first.upload("the only copy", to: "/a.txt")
            try await first.call(Routes.delete, DeleteArg(path: "/a.txt"))
            await first.stop()
            // As it was a moment before.
            let place = home + "/club/.byteclub/" + name
            try FileManager.default.createDirectory(
                atPath: (place as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            try FileManager.default.moveItem(
                atPath: try kept(in: home).folder + "/" + file.revision, toPath: place)
            let second = try await TestClub(home: home)
            #expect(second.staged.isEmpty)
            try await second.call(
                Routes.restore, RestoreArg(path: "/a.txt", revision: file.revision))
            #expect(second.read("a.txt") == "the only copy")
            await second.stop()
        }
    }

    /// Without the log nobody knows what the files are: they stay, start after start.
    @Test func whatWasKeptOutlivesItsLog() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home)
            let file = try await first.upload("the only copy", to: "/a.txt")
            try await first.call(Routes.delete, DeleteArg(path: "/a.txt"))
            await first.stop()
            let (folder, log) = try kept(in: home)
            try FileManager.default.removeItem(atPath: log)
            for _ in 1...2 {
                let next = try await TestClub(home: home)
                _ = try await next.upload("b", to: "/b.txt", mode: .overwrite)
                await next.stop()
            }
            #expect(try textSetAside(file.revision, in: folder) == "the only copy")
        }
    }

    /// A server killed before it took the file out has written down what it was about to do.
    @Test func whatWasOnlyAnnouncedStaysInTheClub() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home)
            let file = try await first.upload("text", to: "/a.txt")
            try await first.call(Routes.delete, DeleteArg(path: "/a.txt"))
            await first.stop()
            try FileManager.default.moveItem(
                atPath: try kept(in: home).folder + "/" + file.revision,
                toPath: home + "/club/a.txt")
            // What the upload that was to replace it has left.
            try TestClub.write("new", to: home + "/club/.byteclub/upload-0123")
            let second = try await TestClub(home: home)
            #expect(second.staged.isEmpty)
            #expect(second.read("a.txt") == "text")
            let list = try await second.call(
                Routes.listRevisions, ListRevisionsArg(path: "/a.txt"))
            #expect(!list.isDeleted)
            #expect(list.entries.map(\.revision) == [file.revision])
            await second.stop()
        }
    }

    @Test func aTornOrMissingLogCostsWhatItSaidAndNothingElse() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home)
            var files: [FileMetadata] = []
            for text in ["one", "two", "three"] {
                files.append(try await first.upload(text, to: "/a.txt", mode: .overwrite))
            }
            await first.stop()
            let (folder, log) = try kept(in: home)
            let whole = try Data(contentsOf: URL(fileURLWithPath: log))
            try whole.dropLast(5).write(to: URL(fileURLWithPath: log))
            let second = try await TestClub(home: home)
            var list = try await second.call(
                Routes.listRevisions, ListRevisionsArg(path: "/a.txt"))
            #expect(list.entries.map(\.revision) == [files[2].revision, files[0].revision])
            #expect(try await second.download("rev:" + files[0].revision) == "one")
            await second.stop()
            try FileManager.default.removeItem(atPath: log)
            let third = try await TestClub(home: home)
            list = try await third.call(Routes.listRevisions, ListRevisionsArg(path: "/a.txt"))
            #expect(list.entries == [files[2]])
            #expect(third.read("a.txt") == "three")
            // Nobody can name what is left; it is not removed: first what the cut line was about, then the rest.
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.allSatisfy { $0.hasPrefix("without-log-") } && names.count == 2)
            await third.stop()
        }
    }

    /// A log that cannot be understood or read says nothing about what may be removed. What is removed from then on
    /// is kept all the same.
    @Test(arguments: ["version", "folder"])
    func aLogOfAnotherVersionIsSetAsideWithAllItSpeaksOf(trouble: String) async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home)
            let old = try await first.upload("one", to: "/a.txt")
            try await first.upload("two", to: "/a.txt", mode: .overwrite)
            await first.stop()
            let (folder, log) = try kept(in: home)
            let whole = try Data(contentsOf: URL(fileURLWithPath: log))
            let other = Data("byteclub-revisions-2\n".utf8) + whole
            try FileManager.default.removeItem(atPath: log)
            if trouble == "version" {
                try other.write(to: URL(fileURLWithPath: log))
            } else {
                try FileManager.default.createDirectory(
                    atPath: log, withIntermediateDirectories: false)
            }
            let second = try await TestClub(home: home)
            #expect(try await second.download("/a.txt") == "two")
            let last = try await second.upload("three", to: "/a.txt", mode: .overwrite)
            try await second.call(Routes.delete, DeleteArg(path: "/a.txt"))
            #expect(second.staged.isEmpty)
            try await second.call(
                Routes.restore, RestoreArg(path: "/a.txt", revision: last.revision))
            #expect(second.read("a.txt") == "three")
            await second.stop()
            let aside = try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { $0.hasPrefix("without-log-") }
            try #require(aside.count == 1)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(aside[0])")
                    == [old.revision])
            if trouble == "version" {
                let names = try FileManager.default.contentsOfDirectory(atPath: home + "/state")
                let name = try #require(names.first { $0.contains(".set-aside-") })
                #expect(
                    try Data(contentsOf: URL(fileURLWithPath: home + "/state/" + name)) == other)
            }
        }
    }

    /// A line that could not be written on a full disk must not cost the file it was about.
    @Test func aFileThatTheLogDoesNotKnowIsNotRemoved() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home)
            let file = try await first.upload("the only copy", to: "/a.txt")
            try await first.upload("known", to: "/b.txt")
            try await first.call(Routes.delete, DeleteArg(path: "/a.txt"))
            try await first.call(Routes.delete, DeleteArg(path: "/b.txt"))
            await first.stop()
            let (folder, log) = try kept(in: home)
            let lines = try String(contentsOfFile: log, encoding: .utf8)
                .split(separator: "\n").filter { !$0.contains(file.revision) }
            try Data((lines.joined(separator: "\n") + "\n").utf8)
                .write(to: URL(fileURLWithPath: log))
            for _ in 1...2 {
                let next = try await TestClub(home: home)
                let list = try await next.call(
                    Routes.listRevisions, ListRevisionsArg(path: "/b.txt"))
                #expect(list.isDeleted)
                await next.stop()
            }
            #expect(try textSetAside(file.revision, in: folder) == "the only copy")
        }
    }

    /// A folder has one trash, by whichever of its paths it is served.
    @Test func whatWasKeptIsFoundByAnotherPathOfTheFolder() async throws {
        try await withHome { (home: String) async throws in
            try FileManager.default.moveItem(atPath: home + "/club", toPath: home + "/disk")
            try FileManager.default.createSymbolicLink(
                atPath: home + "/club", withDestinationPath: home + "/disk")
            let first = try await TestClub(home: home)
            let file = try await first.upload("text", to: "/a.txt")
            try await first.call(Routes.delete, DeleteArg(path: "/a.txt"))
            await first.stop()
            let second = try await TestClub(home: home) { $0.folder = home + "/disk" }
            try await second.call(
                Routes.restore, RestoreArg(path: "/a.txt", revision: file.revision))
            await second.stop()
            #expect(
                try String(contentsOfFile: home + "/disk/a.txt", encoding: .utf8) == "text")
        }
    }

    @Test func aRevisionThatTheDiskHasChangedIsNotBroughtBack() async throws {
        try await withHome { (home: String) async throws in
            let club = try await TestClub(home: home)
            let old = try await club.upload("one", to: "/a.txt")
            try await club.upload("two", to: "/a.txt", mode: .overwrite)
            let path = try kept(in: home).folder + "/" + old.revision
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.write(contentsOf: Data("xxx".utf8))
            try file.close()
            #expect(
                try await club.failure(
                    Routes.restore, RestoreArg(path: "/a.txt", revision: old.revision))
                    == .invalidRevision)
            #expect(club.read("a.txt") == "two")
            await club.stop()
        }
    }

    /// A rename cannot cross from one disk to another.
    @Test(.enabled(if: Self.hasOtherDisk, "needs a second file system"))
    func whereTheStateIsOnAnotherDiskTheHiddenFolderKeepsThem() async throws {
        let state = "/dev/shm/byteclub-test-" + UUID().uuidString.prefix(8)
        defer { try? FileManager.default.removeItem(atPath: state) }
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home) { $0.stateFolder = state }
            let file = try await first.upload("text", to: "/a.txt")
            try await first.call(Routes.delete, DeleteArg(path: "/a.txt"))
            #expect(first.staged == ["revisions"])
            let names = try FileManager.default.contentsOfDirectory(
                atPath: home + "/club/.byteclub/revisions")
            #expect(names == [file.revision])
            await first.stop()
            let second = try await TestClub(home: home) { $0.stateFolder = state }
            #expect(try await second.list().entries.isEmpty)
            try await second.call(
                Routes.restore, RestoreArg(path: "/a.txt", revision: file.revision))
            #expect(second.read("a.txt") == "text")
            await second.stop()
        }
    }

    private static var hasOtherDisk: Bool {
        func device(_ path: String) -> Int? {
            let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path)
            return (attributes?[.systemNumber] as? NSNumber)?.intValue
        }
        guard let other = device("/dev/shm"), FileManager.default.isWritableFile(atPath: "/dev/shm")
        else { return false }
        return other != device(NSTemporaryDirectory())
    }
}
