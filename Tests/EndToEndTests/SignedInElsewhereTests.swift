import Foundation
import TestSupport
import Testing

/// A password that was changed at the server, and a sign-in with the new one in another terminal: the app
/// goes on with it.
@Suite struct SignedInElsewhereTests {
    private let server: StandInWebDAV
    private let newPassword = "a new one"

    init() throws {
        server = try StandInWebDAV(files: ["Afar.txt": "from afar\n"])
    }

    private func login(_ home: ClubHome, password: String? = nil) async throws {
        let output = try await Command(
            ClubHome.program,
            ["login", "webdav", server.address, "--user", server.user, "--password-stdin"],
            environment: home.environment(), directory: home.work.path,
            input: Data(((password ?? server.password) + "\n").utf8)
        ).run()
        #expect(output.status == 0, "\(output.errorText)")
    }

    /// The app in a club whose password then changes.
    ///
    /// - Parameter hasLoggedIn: Another program has signed in with the new one before the old one is
    ///   rejected: the app polls for changes.
    private func withOldPassword(
        hasLoggedIn: Bool = false,
        _ body: (ClubHome, TerminalDriver, _ uses: () -> Int) async throws -> Void
    ) async throws {
        let old = StandInWebDAV.authorization(user: server.user, password: server.password)
        try await inFreshHome { home in
            try await login(home)
            let terminal = try home.start()
            defer { terminal.close() }
            try await terminal.wait(for: "the club") {
                $0.contains("Afar.txt") && $0.contains("webdav · ")
            }
            try await terminal.waitUntilIdle()
            if hasLoggedIn {
                server.add(password: newPassword)
                try await login(home, password: newPassword)
            }
            server.change(passwordTo: newPassword)
            try await body(home, terminal) {
                server.requests.count { $0["Authorization"] == old }
            }
        }
    }

    @Test func isNoticedWhenTheOldPasswordIsRefused() async throws {
        try await withOldPassword(hasLoggedIn: true) { _, terminal, _ in
            terminal.press(.enter)
            try await terminal.wait(forText: "from afar")
            #expect(!terminal.screen.contains("Sign in again"))
        }
    }

    @Test func isNoticedByWhoLooksAgainAndTheOldPasswordIsNotSentAgain() async throws {
        try await withOldPassword { home, terminal, uses in
            terminal.type("R")
            try await terminal.wait(forText: "Sign in again")
            try await terminal.waitUntilIdle()
            terminal.type("l")
            try await terminal.wait(untilGone: "Sign in again")
            try await login(home)
            let usesBefore = uses()
            terminal.type("R")
            try await terminal.wait(for: "the club") {
                $0.contains("Afar.txt") && $0.contains("webdav · ")
            }
            #expect(uses() == usesBefore)
        }
    }

    /// Nobody is locked out of an account by a program that tries on and on.
    @Test func withoutOneTheOldPasswordIsSentOnlyWhenThePersonLooks() async throws {
        try await withOldPassword { _, terminal, uses in
            // By now, or with the app's next poll.
            terminal.type("R")
            try await terminal.wait(forText: "Sign in again")
            try await terminal.waitUntilIdle()
            /// How often it is sent when the person looks again.
            func look() async throws -> Int {
                let usesBefore = uses()
                terminal.type("l")
                try await terminal.wait(untilGone: "Sign in again")
                terminal.type("R")
                try await terminal.wait(forText: "Sign in again")
                try await terminal.waitUntilIdle()
                return uses() - usesBefore
            }
            let first = try await look()
            #expect(try await look() == first)
        }
    }
}
