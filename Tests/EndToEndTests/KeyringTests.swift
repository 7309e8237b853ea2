import Foundation
import TestSupport
import Testing

/// Secrets where a keyring runs: a session bus and GNOME's keyring, where they are installed.
@Suite struct KeyringTests {
    static let isInstalled = ["/usr/bin/dbus-run-session", "/usr/bin/gnome-keyring-daemon"]
        .allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(.enabled(if: isInstalled))
    func tokensAreInTheKeyringAndInNoFile() async throws {
        let dropbox = try StandInDropbox()
        dropbox.put("text", at: "/there.txt")
        try await inFreshHome { home in
            let script = """
                printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
                "$0" login dropbox --app-key \(dropbox.appKey) --api-url \(dropbox.base) --no-browser
                "$0" notes ls
                echo "--- in between"
                read line
                "$0" logout
                "$0" notes ls --club dropbox
                echo "--- over"
                read line
                """
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    "/usr/bin/dbus-run-session", ["--", "/bin/sh", "-c", script, ClubHome.program],
                    environment: home.environment(), directory: home.work.path,
                    size: TerminalSize(columns: 500, rows: 40)))
            defer { terminal.close() }
            let screen = try await terminal.wait(forText: "The code that the page shows")
            let page = try #require(
                (0..<40).map { screen.text(ofRow: $0) }
                    .first { $0.hasPrefix(StandInDropbox.page) })
            let consent = try #require(
                dropbox.consent(to: page.trimmingCharacters(in: .whitespaces)))
            terminal.type(consent.code + "\n")
            try await terminal.wait(forText: "--- in between")
            #expect(terminal.screen.contains("there.txt"))
            #expect(home.names(in: home.folder.appending(path: "state/byteclub/secrets")).isEmpty)
            let memory = try String(
                contentsOf: home.folder.appending(path: "state/byteclub/clubs.json"),
                encoding: .utf8)
            #expect(memory.contains("keyring"))
            for name in FileManager.default.enumerator(atPath: home.folder.path) ?? .init() {
                guard let name = name as? String,
                    let data = FileManager.default.contents(
                        atPath: home.folder.appending(path: name).path)
                else { continue }
                let text = String(decoding: data, as: UTF8.self)
                for secret in dropbox.secrets { #expect(!text.contains(secret), "\(name)") }
            }
            terminal.type("\n")
            try await terminal.wait(forText: "--- over")
            #expect(terminal.screen.contains("byteclub login dropbox"))
            #expect(dropbox.validRefreshTokenCount == 0)
            #expect(dropbox.violations.isEmpty)
        }
    }
}
