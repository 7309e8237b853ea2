import ArgumentParser
import ByteClub
import ClubAccess
import TerminalUI

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List every key of the screen.",
        discussion: "With the keys of your own that config.yml has.")

    @OptionGroup(visibility: .hidden) var club: ClubOptions

    @Flag(help: "Write the names that config.yml calls the commands by, too.")
    var ids = false

    func validate() throws { try club.checkUnsaid() }

    @MainActor func run() async throws {
        let settings = ClubOptions.settings()
        let bindings = ScreenSettings(settings).keys
        var isFirst = true
        for context in KeyContext.all {
            if !isFirst { Output.line("") }
            isFirst = false
            Output.line(context.title)
            let rows = context.commands.map { command in
                let keys = bindings.keys(for: command).map(\.displayName).joined(separator: ", ")
                return (ids ? [command.id] : []) + [keys, command.title]
            }
            Output.table(rows)
        }
    }
}
