import ClubServer
import DropboxAPI
import Foundation
import Testing

@Suite struct StartingTests {
    private func withHome(_ body: (String) async throws -> Void) async throws {
        let home = try TestClub.makeHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        try await body(home)
    }

    private func startError(
        _ home: String, endpoint: ClubServer.Endpoint? = nil,
        change: (inout ClubServer.Configuration) -> Void = { _ in }
    ) async throws -> ClubServerError? {
        do {
            let club = try await TestClub(home: home, endpoint: endpoint, change: change)
            await club.stop()
            return nil
        } catch let error as ClubServerError {
            return error
        }
    }

    @Test func aNewClubIsMadeWithItsWelcomeAndAnOldOneIsLeftAlone() async throws {
        try await withHome { (home: String) async throws in
            let welcome: @Sendable () throws -> [(path: String, content: Data)] = {
                [("Welcome.txt", Data("Hello".utf8)), ("photos/one.jpg", Data([1, 2, 3]))]
            }
            let first = try await TestClub(home: home) { $0.welcome = welcome }
            #expect(first.read("Welcome.txt") == "Hello")
            #expect(first.exists("photos/one.jpg"))
            try await first.call(Routes.delete, DeleteArg(path: "/Welcome.txt"))
            await first.stop()
            let second = try await TestClub(home: home) { $0.welcome = welcome }
            #expect(!second.exists("Welcome.txt"))
            await second.stop()
        }
    }

    @Test func thereIsOneServerForAFolder() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let error = try await startError(club.home)
            #expect(error?.code == .alreadyRunning)
            // And the one that runs was not disturbed.
            #expect(try await club.list().entries.isEmpty)
        }
    }

    @Test func aSocketLeftByAKilledServerIsReplaced() async throws {
        try await withHome { (home: String) async throws in
            let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            let path = home + "/sock"
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(bound == 0)
            close(stale)
            let club = try await TestClub(home: home)
            #expect(try await club.list().entries.isEmpty)
            await club.stop()
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(!FileManager.default.fileExists(atPath: home + "/token"))
        }
    }

    @Test func somethingElseAtTheSocketsPathIsNotTouched() async throws {
        try await withHome { (home: String) async throws in
            try TestClub.write("mine", to: home + "/sock")
            let error = try await startError(home)
            #expect(error?.code == .cannotListen)
            #expect(try String(contentsOfFile: home + "/sock", encoding: .utf8) == "mine")
        }
    }

    @Test func aPortInUseIsSaidInASentence() async throws {
        try await TestClub.with(endpoint: .tcp(port: 0)) { (club: TestClub) async throws in
            guard case .tcp(let port) = club.address else {
                Issue.record("\(club.address)")
                return
            }
            #expect(try await club.list().entries.isEmpty)
            try await withHome { (home: String) async throws in
                let error = try await startError(home, endpoint: .tcp(port: port))
                #expect(error?.code == .portInUse)
                #expect(error?.message.contains("127.0.0.1:\(port)") == true)
            }
        }
    }

    @Test func aPathThatIsTooLongIsSaidInASentence() async throws {
        try await withHome { (home: String) async throws in
            let path = home + "/" + String(repeating: "s", count: 100)
            let error = try await startError(
                home, endpoint: .unixSocket(path: path, leasePath: nil))
            #expect(error?.code == .pathTooLong)
        }
    }

    @Test func theLongestPathASocketCanHaveIsGoodEnough() async throws {
        try await withHome { (home: String) async throws in
            let rest = RuntimePaths.socketPathByteLimit - home.utf8.count - 1
            let path = home + "/" + String(repeating: "s", count: rest)
            let club = try await TestClub(
                home: home, endpoint: .unixSocket(path: path, leasePath: nil))
            #expect(try await club.list().entries.isEmpty)
            await club.stop()
        }
    }

    @Test func aFolderThatIsAFileIsSaidInASentence() async throws {
        try await withHome { (home: String) async throws in
            try TestClub.write("x", to: home + "/club")
            let error = try await startError(home)
            #expect(error?.code == .folderNotUsable)
            #expect(error?.message.contains(home + "/club") == true)
        }
    }

    @Test func theMeetingPlaceIsTheSameForBothSidesAndSafe() async throws {
        try await withHome { (home: String) async throws in
            let runtime = home + "/run"
            try FileManager.default.createDirectory(
                atPath: runtime, withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                atPath: home + "/club", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: home + "/link", withDestinationPath: home + "/club")
            let environment = ["XDG_RUNTIME_DIR": runtime]
            let place = try RuntimePaths(clubFolder: home + "/club", environment: environment)
            let same = try RuntimePaths(clubFolder: home + "/link", environment: environment)
            #expect(place == same)
            #expect(place.socketPath.hasPrefix(runtime + "/byteclub/club-"))
            #expect(place.leasePath == place.socketPath + ".lease")
            #expect(place.readToken() == nil)
            let attributes = try FileManager.default.attributesOfItem(atPath: place.folder)
            #expect(attributes[.posixPermissions] as? Int == 0o700)
            let other = try RuntimePaths(clubFolder: home + "/other", environment: environment)
            #expect(other.clubID != place.clubID)
        }
    }

    @Test func aRuntimeFolderWithALongPathFallsBackToTmp() async throws {
        try await withHome { (home: String) async throws in
            let runtime = home + "/" + String(repeating: "r", count: 90)
            try FileManager.default.createDirectory(
                atPath: runtime, withIntermediateDirectories: true)
            let place = try RuntimePaths(
                clubFolder: home + "/club", environment: ["XDG_RUNTIME_DIR": runtime])
            #expect(place.folder == "/tmp/byteclub-\(getuid())")
            #expect(place.leasePath.utf8.count <= RuntimePaths.socketPathByteLimit)
        }
    }

    /// Programs of one user may have different runtime folders, and so see different locks there.
    @Test func aFolderIsServedOnceWhateverTheRuntimeFolder() async throws {
        try await withHome { (home: String) async throws in
            let first = try await TestClub(home: home)
            let elsewhere: (inout ClubServer.Configuration) -> Void = { configuration in
                configuration.untilUnused = true
                configuration.lockFile = home + "/other-lock"
                configuration.tokenFile = home + "/other-token"
                configuration.endpoint = .unixSocket(
                    path: home + "/other", leasePath: home + "/other.lease")
            }
            let error = try await startError(home, change: elsewhere)
            #expect(error?.code == .alreadyRunning)
            for name in ["other", "other.lease", "other-token"] {
                #expect(!FileManager.default.fileExists(atPath: "\(home)/\(name)"), "\(name)")
            }
            #expect(try await first.list().entries.isEmpty)
            await first.stop()
            // The lock that the other one had got is free.
            let next = try await TestClub(home: home, change: elsewhere)
            #expect(try await next.list().entries.isEmpty)
            await next.stop()
        }
    }

    /// It has opened the folder, and what is kept there for the next server, when it finds the port taken.
    @Test func aStartThatFailsLeavesTheClubAsItWas() async throws {
        try await TestClub.with(endpoint: .tcp(port: 0)) { (other: TestClub) async throws in
            guard case .tcp(let port) = other.address else {
                Issue.record("\(other.address)")
                return
            }
            try await withHome { (home: String) async throws in
                let first = try await TestClub(home: home)
                let session = try await first.call(
                    Routes.uploadSessionStart, UploadSessionStartArg(), body: "before "
                ).sessionID
                await first.stop()
                let error = try await startError(home, endpoint: .tcp(port: port))
                #expect(error?.code == .portInUse)
                #expect(!FileManager.default.fileExists(atPath: home + "/token"))
                let next = try await TestClub(home: home) { $0.untilUnused = true }
                try await next.call(
                    Routes.uploadSessionFinish,
                    UploadSessionFinishArg(
                        cursor: UploadSessionCursor(sessionID: session, offset: 7),
                        commit: CommitInfo(path: "/a.txt")), body: "after")
                #expect(next.read("a.txt") == "before after")
                await next.stop()
            }
        }
    }

    /// It is removed at the last logout, under a program that goes on in tmux.
    @Test func aServerIsFoundWithoutItsRuntimeFolder() async throws {
        try await withHome { (home: String) async throws in
            for name in ["club", "run"] {
                try FileManager.default.createDirectory(
                    atPath: "\(home)/\(name)", withIntermediateDirectories: true)
            }
            let environment = ["HOME": home, "XDG_RUNTIME_DIR": home + "/run"]
            let configuration = try ClubServer.Configuration.standard(
                clubFolder: home + "/club", environment: environment)
            let server = ClubServer(configuration: configuration)
            let (ready, continuation) = AsyncStream<Void>.makeStream()
            let running = Task { try await server.run { _ in continuation.yield() } }
            for await _ in ready { break }
            try FileManager.default.removeItem(atPath: home + "/run")
            let lasting = try #require(
                RuntimePaths.lasting(
                    forClub: home + "/club", in: configuration.stateFolder))
            #expect(lasting.readToken() != nil)
            let connection = try TestConnection(to: .unixSocket(lasting.socketPath))
            connection.close()
            server.stop()
            try await running.value
            #expect(lasting.readToken() == nil)
            #expect(!FileManager.default.fileExists(atPath: lasting.socketPath))
        }
    }

    @Test func aServerLeavesWithItsLastLease() async throws {
        try await withHome { (home: String) async throws in
            let club = try await TestClub(home: home) { $0.untilUnused = true }
            let one = try TestConnection(to: .unixSocket(home + "/sock.lease"))
            let two = try TestConnection(to: .unixSocket(home + "/sock.lease"))
            one.close()
            #expect(try await club.list().entries.isEmpty)
            two.close()
            #expect(await club.end() == nil)
            #expect(!FileManager.default.fileExists(atPath: home + "/sock"))
            #expect(!FileManager.default.fileExists(atPath: home + "/sock.lease"))
        }
    }
}
