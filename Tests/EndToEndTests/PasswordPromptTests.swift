import Foundation
import TestSupport
import Testing

/// The command line's question for a password, in a shell that stops and continues programs.
@Suite struct PasswordPromptTests {
    private static let shell = "/bin/bash"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: shell)))
    func showsNothingOfWhatIsTypedAtOnceNorStops() async throws {
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
            // The prompt already hides input, and ^Z is a character like any other.
            #expect(shell.settings?.echoes == false)
            #expect(shell.settings?.readsLines == true)
            shell.press(.control("z"), .control("u"))
            shell.type(server.password + "\n")
            try await shell.wait(forText: "Signed in as")
            try await shell.wait(for: "the shell") { $0.positions(of: "ready$").count > 1 }
            #expect(!shell.screen.contains("Stopped"))
            #expect(!String(decoding: shell.output, as: UTF8.self).contains("horse"))
            // The shell's own terminal is as it was.
            shell.type("echo seen\n")
            try await shell.wait(for: "an echo") { $0.positions(of: "seen").count > 1 }
        }
    }
}
