import ArgumentParser
import ByteClub
import TerminalUI

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List every key of the screen.")

    @MainActor func run() async throws {
        var isFirst = true
        for (context, commands) in ByteClubApp.keyCommands where !commands.isEmpty {
            if !isFirst { Output.line("") }
            isFirst = false
            Output.line(context)
            let rows = commands.map { command in
                (command.keys.map(\.displayName).joined(separator: ", "), command.title)
            }
            let width = rows.map(\.0.count).max() ?? 0
            for (keys, title) in rows {
                Output.line(
                    "  " + keys + String(repeating: " ", count: width - keys.count) + "  " + title)
            }
        }
    }
}
