import ArgumentParser
import ByteClub
import ClubAccess
import FoundationEssentials

struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Say where the settings are, and what is wrong in them.",
        discussion: """
            The exit status is 1 when something is wrong. docs/Settings.md lists all that can be set.
            """)

    @OptionGroup(visibility: .hidden) var club: ClubOptions

    @Flag(help: "Write the form of the file instead, as a JSON Schema for editors.")
    var schema = false

    func validate() throws { try club.checkUnsaid() }

    func run() throws {
        if schema { return Output.write(try SettingsSchema.json()) }
        let file = ClubRegistry().settingsFile
        let problems = ScreenSettings(file.read()).problems
        Output.line(file.url.path)
        for problem in problems { Output.complain(problem.description) }
        if !problems.isEmpty { throw ExitCode(1) }
    }
}
