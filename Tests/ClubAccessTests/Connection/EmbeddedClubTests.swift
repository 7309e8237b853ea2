import ClubServer
import ClubStore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ClubAccess

/// The real server process, started and killed.
@Suite(.serialized) struct EmbeddedClubTests {
    private func withHome(
        _ body: @Sendable (ClubHome, EmbeddedClub) async throws -> Void
    ) async throws {
        let home = try ClubHome(hasClub: true)
        defer { home.remove() }
        let club = makeClub(in: home)
        do {
            try await body(home, club)
        } catch {
            await club.close()
            throw error
        }
        await club.close()
    }

    private func makeClub(
        in home: ClubHome, program: String = ClubHome.program, more: [String: String] = [:]
    ) -> EmbeddedClub {
        let environment = home.environment(more: more)
        return EmbeddedClub(
            paths: Paths(environment: environment), program: program, environment: environment)
    }

    @Test func startsItsServerAndAnswers() async throws {
        try await withHome { home, club in
            try home.write("text", toNote: "Plan.txt")
            let store = try await club.open()
            #expect(try await store.list(.root).files.map(\.name) == ["Plan.txt"])
            #expect(home.servers.count == 1)
        }
    }

    @Test func severalShareOneServer() async throws {
        try await withHome { home, club in
            let other = makeClub(in: home)
            async let first = club.open()
            async let second = other.open()
            async let third = club.open()
            _ = try await (
                first.list(.root), second.list(.root), third.list(.root)
            )
            #expect(home.servers.count == 1)
            await other.close()
        }
    }

    @Test func aKilledServerIsStartedAgainWhenNeeded() async throws {
        try await withHome { home, club in
            let store = try await club.open()
            let path = try RemotePath(validating: "/a.txt")
            _ = try await store.put(Data("text".utf8), at: path, mode: .add)
            for server in home.servers { kill(server, SIGKILL) }
            #expect(try await store.fetch(path).data == Data("text".utf8))
            _ = try await club.open().fetch(path)
        }
    }

    /// How a killed server looks from outside at first: its lease is still held for a moment.
    @Test func aServerThatIsNoLongerReachedIsReplaced() async throws {
        try await withHome { home, club in
            let store = try await club.open()
            let server = home.servers
            let place = try RuntimePaths(
                clubFolder: home.club.path, environment: home.environment())
            #expect(unlink(place.socketPath) == 0)
            let lasting = try #require(
                RuntimePaths.lasting(
                    forClub: home.club.path,
                    in: Paths(environment: home.environment()).stateFolder.path))
            #expect(unlink(lasting.socketPath) == 0)
            #expect(try await store.list(.root).files.isEmpty)
            #expect(home.servers != server)
        }
    }

    /// systemd removes it at the last logout, under a program that goes on in tmux.
    @Test func aRuntimeFolderThatIsRemovedKeepsNobodyOut() async throws {
        try await withHome { home, club in
            let store = try await club.open()
            let server = home.servers
            let place = try RuntimePaths(
                clubFolder: home.club.path, environment: home.environment())
            try FileManager.default.removeItem(atPath: place.folder)
            // The store has its socket there; a club that is opened again has the other one.
            _ = try? await store.list(.root)
            #expect(try await club.open().list(.root).files.isEmpty)
            let other = makeClub(in: home)
            #expect(try await other.open().list(.root).files.isEmpty)
            #expect(home.servers == server)
            await other.close()
        }
    }

    @Test func aServerThatIsLeavingIsWaitedFor() async throws {
        try await withHome { home, club in
            let environment = home.environment()
            let place = try RuntimePaths(clubFolder: home.club.path, environment: environment)
            let lock = open(place.lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
            async let store = club.open()
            let log = Paths(environment: environment).stateFolder.appending(path: "serve.log")
            try await eventually(
                "a server has found the lock taken", in: home.folder.appending(path: "state"),
                timeout: .seconds(60)
            ) {
                (try? String(contentsOf: log, encoding: .utf8))?.contains("Another Byte Club")
                    == true
            }
            close(lock)
            #expect(try await store.list(.root).files.isEmpty)
        }
    }

    @Test func theServerStaysWhileAnotherNeedsIt() async throws {
        try await withHome { home, club in
            let other = makeClub(in: home)
            _ = try await other.open()
            let server = home.servers
            _ = try await club.open()
            await other.close()
            _ = try await club.open().list(.root)
            #expect(home.servers == server)
        }
    }

    @Test func aProgramThatIsNotThereIsReported() async throws {
        let home = try ClubHome(hasClub: true)
        defer { home.remove() }
        let error = await failure(of: makeClub(in: home, program: "/nonexistent/byteclub"))
        guard case .programNotStarted = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aServerThatLeavesAtOnceIsReportedWithItsLog() async throws {
        let home = try ClubHome(hasClub: true)
        defer { home.remove() }
        let error = await failure(of: makeClub(in: home, program: "/bin/false"))
        let log = Paths(environment: home.environment()).stateFolder.appending(path: "serve.log")
        #expect(error == .serverNotReady(log: log.path))
        var status = stat()
        #expect(stat(log.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func aRuntimeFolderOfSomebodyElseIsReported() async throws {
        let home = try ClubHome(hasClub: true)
        defer { home.remove() }
        let run = home.folder.appending(path: "run/byteclub")
        try Data().write(to: run)
        guard case .noRuntimeFolder(let sentence) = await failure(of: makeClub(in: home)) else {
            Issue.record("a file was taken for a folder")
            return
        }
        #expect(sentence.hasSuffix("."))
    }

    // MARK: - A lost folder

    /// A command must not make a new club in silence, nor show the copy of the one that may be lost.
    @Test func aLostFolderIsMadeAgainOnlyWhenAllowed() async throws {
        let home = try ClubHome(hasClub: true)
        defer { home.remove() }
        let paths = Paths(environment: home.environment())
        let first = makeClub(in: home)
        _ = try await first.open()
        await first.close()
        try await eventually("the server has ended") { home.servers.isEmpty }
        #expect(!EmbeddedClub.hasLostFolder(at: paths))
        try FileManager.default.removeItem(at: home.club)
        #expect(EmbeddedClub.hasLostFolder(at: paths))

        let second = makeClub(in: home)
        do throws(StoreError) {
            _ = try await second.open()
            Issue.record("a new folder was made")
        } catch {
            #expect(error.underlying as? EmbeddedClubError == .lostFolder(home.club.path))
            let words = ErrorMessage(error)
            #expect(words.title == "Could not open the club")
            #expect(words.text.contains(home.club.path))
            #expect(words.text.contains("byteclub --club embedded"))
        }
        #expect(!FileManager.default.fileExists(atPath: home.club.path))

        EmbeddedClub.allowNewFolder(at: paths)
        _ = try await second.open()
        #expect(FileManager.default.fileExists(atPath: home.club.path))
        await second.close()
        try await eventually("the server has ended") { home.servers.isEmpty }
        // It was allowed once.
        try FileManager.default.removeItem(at: home.club)
        #expect(await failure(of: makeClub(in: home)) == .lostFolder(home.club.path))
    }

    /// Another instance makes its local copy before its server makes the club.
    @Test func aFirstStartIsNoLoss() async throws {
        let home = try ClubHome()
        defer { home.remove() }
        let paths = Paths(environment: home.environment())
        try FileManager.default.createDirectory(
            at: paths.stateFolder.appending(path: "clubs/embedded/library"),
            withIntermediateDirectories: true)
        #expect(!EmbeddedClub.hasLostFolder(at: paths))
        let club = makeClub(in: home)
        _ = try await club.open()
        #expect(FileManager.default.fileExists(atPath: home.club.path))
        await club.close()
    }

    private func failure(of club: EmbeddedClub) async -> EmbeddedClubError? {
        do throws(StoreError) {
            _ = try await club.open()
            return nil
        } catch {
            #expect(error.operation == .connect)
            return error.underlying as? EmbeddedClubError
        }
    }
}
