import Foundation
import TestSupport
import Testing

/// The command line's question for a password, in a shell that stops and continues programs.
@Suite struct PasswordPromptTests {
    private static let shell = "/bin/bash"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: shell)))
    func showsNothingAfterStoppingAndGoingOn() async throws {
        let server = try StandInWebDAV(files: ["Afar.txt": "from afar\n"])
        try await inFreshHome { home in
            let shell = try TerminalDriver(
                running: TerminalProgram(
                    Self.shell, ["--norc", "--noprofile", "-i"],
                    environment: home.environment(more: ["PS1": "ready$ "]),
                    directory: home.work.path, size: TerminalSize(columns: 200, rows: 24)))
            defer { shell.close() }
            try await shell.wait(forText: "ready$")
            shell.type("\(ClubHome.program) login webdav \(server.address) --user ann\n")
            try await shell.wait(forText: "Password of ann:")
            // Whether or not it stops, what is typed next is not shown.
            shell.press(.control("z"))
            if try await stops(shell) {
                shell.type("fg\n")
                try await shell.wait(for: "the program again") {
                    $0.positions(of: "login webdav").count > 1
                }
            }
            shell.press(.control("u"))
            shell.type(server.password + "\n")
            try await shell.wait(forText: "Signed in as")
            try await shell.wait(for: "the shell") { $0.positions(of: "ready$").count > 1 }
            #expect(!String(decoding: shell.output, as: UTF8.self).contains("horse"))
            // The shell's own terminal is as it was.
            shell.type("echo seen\n")
            try await shell.wait(for: "an echo") { $0.positions(of: "seen").count > 1 }
        }
    }

    /// Whether a shell's program stands still, soon after ^Z.
    private func stops(_ shell: TerminalDriver) async throws -> Bool {
        for _ in 0..<50 {
            if shell.screen.contains("Stopped") { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
