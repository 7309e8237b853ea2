import Foundation
import TestSupport
import Testing

/// A keyring that never answers, as one whose question for a password nobody sees, holds nobody up.
@Suite struct KeyringWaitTests {
    static let isInstalled = FileManager.default.fileExists(
        atPath: "/usr/lib/\(machine)-linux-gnu/libsecret-1.so.0")

    private static var machine: String {
        var name = utsname()
        uname(&name)
        return withUnsafeBytes(of: &name.machine) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Much less than the minute that is left to a person to unlock it.
    private static let timeout = Duration.seconds(30)

    /// A home whose club's password is in a keyring, on a bus that takes calls and says nothing.
    private func withSilentKeyring(
        _ body: (ClubHome, _ bus: LoopbackServer, _ environment: [String: String]) async throws ->
            Void
    ) async throws {
        let bus = try LoopbackServer(on: .unixSocket, scripts: [[.stall]])
        let path = try #require(bus.socketPath)
        try await inFreshHome { home in
            try home.write(
                settings: """
                    clubs:
                      nas: {kind: webdav, url: 'https://127.0.0.1:9/club', user: ann}
                    """)
            let state = home.folder.appending(path: "state/byteclub")
            try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
            try Data(#"{"current": "nas", "secrets": {"nas": "keyring"}}"#.utf8).write(
                to: state.appending(path: "clubs.json"))
            let address = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)"]
            try await body(home, bus, home.environment(more: address))
        }
    }

    @Test(.enabled(if: isInstalled)) func aCommandEndsWithItsSignal() async throws {
        try await withSilentKeyring { home, bus, environment in
            let program = try Conversation(
                ClubHome.program, ["notes", "ls"], environment: environment,
                directory: home.work.path)
            try await eventually("the keyring is asked") { bus.connectionCount > 0 }
            let asked = ContinuousClock.now
            kill(program.processIdentifier, SIGINT)
            #expect(await program.end().status == 128 + SIGINT)
            #expect(ContinuousClock.now - asked < Self.timeout)
        }
    }

    @Test(.enabled(if: isInstalled)) func theAppIsLeft() async throws {
        try await withSilentKeyring { home, bus, environment in
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    ClubHome.program, environment: environment, directory: home.work.path,
                    size: .classic))
            defer { terminal.close() }
            try await terminal.wait(forText: "connecting to nas")
            try await eventually("the keyring is asked") { bus.connectionCount > 0 }
            terminal.type("q")
            let end = try await terminal.waitForEnd(timeout: Self.timeout)
            #expect(end == .exited(status: 0))
        }
    }

    /// Esc leads back at once, and another club is opened while the keyring is still silent.
    @Test(.enabled(if: isInstalled)) func signingOutIsGivenUp() async throws {
        try await withSilentKeyring { home, bus, environment in
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    ClubHome.program, environment: environment, directory: home.work.path,
                    size: .classic))
            defer { terminal.close() }
            try await terminal.wait(forText: "connecting to nas")
            terminal.type(":logout\n")
            try await terminal.wait(forText: "Signing out of")
            terminal.press(.escape)
            try await terminal.wait(untilGone: "Signing out of", timeout: Self.timeout)
            terminal.type(":club embedded\n")
            try await terminal.wait(forText: "embedded club", timeout: Self.timeout)
            try await terminal.waitUntilIdle(timeout: Self.timeout)
        }
    }
}
