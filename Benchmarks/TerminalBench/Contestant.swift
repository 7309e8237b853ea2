import Foundation
import TestSupport

/// A program that shows and edits a text on a terminal.
struct Contestant {
    let name: String
    let program: TerminalProgram
    /// What is on its first full screen.
    let firstScreen: [String]
    /// What is on the screen when the note is open for typing.
    let openScreen: [String]
    /// Brings the open note from its first screen, and the cursor to the end of line 20.
    let open: (BenchSession) -> Void

    static let noteName = "bench.txt"
    static let lastLine = "line 40 of forty"

    /// Forty lines of prose width.
    static let note =
        (1...40).map { number in
            number == 40 ? lastLine : "line \(number) of a note that is long enough to be ordinary"
        }.joined(separator: "\n") + "\n"

    static func all(in home: ClubHome) -> [Contestant] {
        [byteclub(in: home)] + peers(in: home)
    }

    static func byteclub(in home: ClubHome) -> Contestant {
        Contestant(
            name: "byteclub",
            program: TerminalProgram(
                ClubHome.program, environment: home.environment(), directory: home.work.path,
                size: .wide),
            firstScreen: ["PanoPhotos", noteName, "quit"], openScreen: [lastLine, "Done"]
        ) { session in
            session.wait(forText: noteName)
            session.settle()
            session.press(.enter)
            session.wait(forText: lastLine, "Done")
            session.settle()
            for _ in 1..<20 { session.press(.down) }
            session.press(.end)
        }
    }

    static func peers(in home: ClubHome) -> [Contestant] {
        let file = home.club.appending(path: noteName).path
        // Without its folder micro asks a question first.
        let settings = home.folder.appending(path: "config").path
        func peer(
            _ path: String, _ arguments: [String], _ screen: [String],
            _ open: @escaping (BenchSession) -> Void
        ) -> Contestant? {
            guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
            return Contestant(
                name: URL(filePath: path).lastPathComponent,
                program: TerminalProgram(
                    path, arguments, environment: home.environment(), directory: home.work.path,
                    size: .wide), firstScreen: screen, openScreen: screen, open: open)
        }
        let arrows: (BenchSession) -> Void = { session in
            session.wait(forText: lastLine)
            session.settle()
            for _ in 1..<20 { session.press(.down) }
            session.press(.end)
        }
        return [
            peer("/usr/bin/nano", ["--ignorercfiles", file], [lastLine, "Exit"], arrows),
            peer(
                "/usr/bin/micro", ["-config-dir", settings, "-backup", "false", file],
                [lastLine, noteName], arrows),
            peer("/usr/bin/vim", ["-u", "NONE", "-N", "-n", file], [lastLine, noteName]) {
                session in
                session.wait(forText: lastLine)
                session.settle()
                session.type("20GA")
                session.settle()
            },
        ].compactMap { $0 }
    }
}
