import ArgumentParser
import ByteClub
import ClubAccess
import FoundationEssentials

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Say where the settings are, and what is wrong in them.",
        discussion: """
            The exit status is 1 when something is wrong. docs/Settings.md lists all that can be set. With \
            --json: an array of objects with file, line and problem, one for each thing that is wrong.
            """)

    @OptionGroup(visibility: .hidden) var club: ClubOptions

    @Flag(help: "Write the form of the file instead, as a JSON Schema for editors.")
    var schema = false

    @OptionGroup var json: JSONOption

    func validate() throws {
        try club.checkUnsaid()
        if json.isOn, schema {
            throw ValidationError("--schema is JSON already. Leave --json out.")
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
