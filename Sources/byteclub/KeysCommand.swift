import ArgumentParser
import ByteClub
import ClubAccess
import TerminalUI

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List every key of the screen.",
        discussion: """
            Includes your own keys from config.yml.

            With --json: an array of objects with context, name (of the command, as in config.yml), keys and \
            title.
            """)

    @OptionGroup(visibility: .hidden) var club: ClubOptions

    @Flag(help: "Include command names as used in config.yml.")
    var ids = false

    @Flag(help: "Write JSON.")
    var json = false

    /// For `docs/Keys.md`.
    @Flag(help: .private)
    var markdown = false

    func validate() throws {
        try club.checkUnsaid()
        if json, ids { throw ValidationError("--json includes the names anyway. Omit --ids.") }
    }

    private struct Row: Encodable {
        var context: String
        var name: String
        var keys: [String]
        var title: String
    }

    @MainActor func run() async throws {
        if markdown { return Output.write(KeysPage.markdown()) }
        let bindings = ScreenSettings(ClubOptions.settings()).keys
        let rows = KeyContext.all.map { context in
            context.commands.map { command in
                Row(
                    context: context.title, name: command.id,
                    keys: bindings.keys(for: command).map(\.displayName), title: command.title)
            }
        }
        if json { return try Output.json(rows.flatMap(\.self)) }
        for (index, context) in rows.enumerated() {
            if index > 0 { Output.line("") }
            Output.line(context.first?.context ?? "")
            Output.table(
                context.map {
                    (ids ? [$0.name] : []) + [$0.keys.joined(separator: ", "), $0.title]
                })
        }
    }
}
