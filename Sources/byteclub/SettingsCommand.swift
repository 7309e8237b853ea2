import ArgumentParser
import ByteClub
import ClubAccess
import FoundationEssentials

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show the settings files and their problems.",
        discussion: """
            The exit status is 1 when there is a problem. docs/Settings.md lists all settings. With --json: an \
            array of objects with file, line and problem, one for each problem.
            """)

    @OptionGroup(visibility: .hidden) var club: ClubOptions

    @Flag(help: "Write the JSON Schema of the file instead, for editors.")
    var schema = false

    @OptionGroup var json: JSONOption

    func validate() throws {
        try club.checkUnsaid()
        if json.isOn, schema {
            throw ValidationError("--schema is JSON already. Omit --json.")
        }
    }

    /// A row of `--json`. These fields must not change.
    private struct Row: Encodable {
        var file: String
        var line: Int
        var problem: String
    }

    func run() throws {
        if schema { return Output.write(try SettingsSchema.json()) }
        let file = ClubRegistry().settingsFile
        let problems = ScreenSettings(file.read()).problems
        if json.isOn {
            try Output.json(
                problems.map {
                    Row(file: file.url.path, line: $0.line, problem: $0.sentence)
                })
        } else {
            Output.line(file.url.path)
            for problem in problems { Output.complain(problem.description) }
        }
        if !problems.isEmpty { throw ExitCode(1) }
    }
}
