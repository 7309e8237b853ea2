import DropboxAPI
import Foundation
import Testing

@Suite struct RestartTests {
    private func withHome(_ body: (String) async throws -> Void) async throws {
        let home = try TestClub.makeHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        try FileManager.default.createDirectory(
            atPath: home + "/club", withIntermediateDirectories: true)
        try await body(home)
    }

    @Test func everythingIsTheSameAfterARestart() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home, files: ["hand.txt": "1", "f/x.txt": "2"])
            let time = Timestamp("2013-08-10T23:21:03Z")
            try await first.call(
                Routes.upload, UploadArg(commit: CommitInfo(path: "/up.txt", clientModified: time)),
                body: "3")
            let before = try await first.list(recursive: true).entries
            await first.stop()
            let second = try await TestClub(home: home)
            #expect(try await second.list(recursive: true).entries == before)
            #expect(second.token != first.token)
            await second.stop()
        }
    }

    @Test func aCursorTellsWhatHappenedWhileNobodyServed() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(
                home: home, files: ["a.txt": "1", "b.txt": "2", "c.txt": "3"])
            let cursor = try await first.list().cursor
            await first.stop()
            try TestClub.write("changed", to: home + "/club/a.txt")
            try FileManager.default.removeItem(atPath: home + "/club/b.txt")
            try TestClub.write("new", to: home + "/club/d.txt")
            let second = try await TestClub(home: home)
            let changes = try await second.changes(since: cursor).entries.map(\.sketch)
            #expect(Set(changes) == ["+/a.txt", "-/b.txt", "+/d.txt"])
            await second.stop()
        }
    }

    /// The journal's last lines may be lost, and their numbers given again.
    @Test func aComputerThatWentDownEndsAllCursors() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home, files: ["a.txt": "1"])
            let cursor = try await first.list().cursor
            let entries = try await first.list(recursive: true).entries
            await first.stop()
            let state = URL(filePath: home + "/state")
            let names = try FileManager.default.contentsOfDirectory(atPath: state.path)
            let journal = state.appending(
                path: try #require(names.first { $0.hasSuffix(".journal") }))
            var lines = try String(contentsOf: journal, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            var header = lines[0].split(separator: "\t", omittingEmptySubsequences: false)
            // The epoch, behind the version.
            try #require(header.count == 4 && header[1].contains("-"))
            header[1] = header[1].prefix { $0 != "-" } + "-0123456789abcdef"
            lines[0] = header.joined(separator: "\t")[...]
            try lines.joined(separator: "\n").write(to: journal, atomically: true, encoding: .utf8)
            let second = try await TestClub(home: home)
            #expect(
                try await second.failure(
                    Routes.listFolderContinue, ListFolderContinueArg(cursor: cursor)) == .reset)
            #expect(try await second.list(recursive: true).entries == entries)
            await second.stop()
        }
    }

    @Test func revisionsSurviveTheLossOfTheJournal() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home, files: ["hand.txt": "1"])
            let upload = try await first.upload("2", to: "/up.txt")
            let hand = try #require(try await first.metadata("/hand.txt").file)
            let cursor = try await first.list().cursor
            await first.stop()
            try FileManager.default.removeItem(atPath: home + "/state")
            let second = try await TestClub(home: home)
            #expect(try await second.metadata("/hand.txt").file?.revision == hand.revision)
            #expect(try await second.metadata("/up.txt").file?.revision == upload.revision)
            // But nobody can know what a client of the lost journal knows.
            #expect(
                try await second.failure(
                    Routes.listFolderContinue, ListFolderContinueArg(cursor: cursor)) == .reset)
            await second.stop()
        }
    }

    @Test func aChildThatIsBeingStartedKeepsNobodyFromServing() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home)
            // As a child has one until it becomes another program: with the same lock.
            let lock = try #require(
                FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first { entry in
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/" + entry)
                    return target?.hasSuffix(home + "/lock") == true
                })
            let child = dup(try #require(Int32(lock)))
            defer { close(child) }
            await first.stop()
            let second = try await TestClub(home: home)
            #expect(try await second.list().entries.isEmpty)
            await second.stop()
        }
    }

    @Test func aTornOrForeignJournalDoesNoHarm() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home, files: ["a.txt": "1"])
            let file = try #require(try await first.metadata("/a.txt").file)
            await first.stop()
            let names = try FileManager.default.contentsOfDirectory(atPath: home + "/state")
            let path = home + "/state/" + (try #require(names.first { $0.hasSuffix(".journal") }))
            var journal = try Data(contentsOf: URL(fileURLWithPath: path))
            journal.append(Data("f\t99\tid:torn\t12".utf8))
            try journal.write(to: URL(fileURLWithPath: path))
            let second = try await TestClub(home: home)
            #expect(try await second.metadata("/a.txt").file == file)
            await second.stop()
            try Data((0...255).map { UInt8($0) }).write(to: URL(fileURLWithPath: path))
            let third = try await TestClub(home: home)
            #expect(try await third.metadata("/a.txt").file?.revision == file.revision)
            await third.stop()
        }
    }
}
