import ArgumentParser
import ByteClub
import ClubAccess
import FoundationEssentials
import ByteClubMessages
import TerminalUI

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the setup, and suggest fixes.",
        discussion: """
            Checks the terminal, its colors and clipboard, the libraries, the permissions of Byte Club's \
            folders, the settings, and the club's connection, clock and quota. The exit status is 1 when \
            something does not work.

            With --json: an array of objects with subject, verdict (fine, notice or problem), text and, \
            if there is a fix, advice.
            """)

    @OptionGroup var club: ClubOptions

    @Flag(help: "Write JSON.")
    var json = false

    @MainActor func run() async throws {
        var diagnostics: [Diagnostic] = []
        await Doctor().examine(clubNamed: club.name) { diagnostic in
            diagnostics.append(diagnostic)
            if !json { Self.show(diagnostic) }
        }
        if json { try Output.json(diagnostics) }
        if diagnostics.contains(where: { $0.severity == .problem }) { throw ExitCode(1) }
    }

    private static let marks: [Diagnostic.Severity: String] = [
        .fine: localized("ok     "), .notice: localized("notice "), .problem: localized("PROBLEM"),
    ]

    private static func show(_ diagnostic: Diagnostic) {
        let subject = diagnostic.shownSubject
        let mark = "\(marks[diagnostic.severity] ?? "")  \(subject)"
        let column = 22
        let lines =
            wrapped(diagnostic.text, after: column) + wrapped(diagnostic.advice, after: column)
        for (index, line) in lines.enumerated() {
            let beginning = index == 0 ? mark : ""
            let blanks = max(1, column - Surface.columnCount(of: beginning))
            Output.line(beginning + String(repeating: " ", count: blanks) + line)
        }
    }

    /// A text wrapped beside a column; unwrapped without a terminal.
    private static func wrapped(_ text: String?, after column: Int) -> [String] {
        guard let text else { return [] }
        guard let width = Output.columnCount, width > column + 20 else { return [text] }
        return TextLine(text).wrapped(columns: width - column).map(\.text)
    }
}
