import ArgumentParser
import ByteClub
import Synchronization
import TerminalUI

/// The screen options for this run.
struct ScreenOptions: ParsableArguments {
    private static let names = Theme.Scheme.allCases.map(\.rawValue)

    @Option(
        help: ArgumentHelp(
            "The theme of the screen: \(names.joined(separator: ", ")).", valueName: "name"),
        completion: .list(names),
        transform: { name in
            guard let scheme = Theme.Scheme(rawValue: name) else {
                throw ValidationError("It is one of \(names.joined(separator: ", ")).")
            }
            return scheme
        })
    var theme: Theme.Scheme?

    @Flag(
        help:
            "Screen reader mode: no lines, no colors, no pictures, the cursor where the keys go."
    )
    var plain = false

    var choices: ScreenChoices { ScreenChoices(scheme: theme, isPlain: plain ? true : nil) }

    /// The parsed options, given before or after a subcommand: the outermost command parses them.
    private static let given = Mutex(ScreenOptions?.none)

    /// Stores the options for the command that runs.
    func keep() { Self.given.withLock { $0 = self } }

    /// Rejects a theme where nothing is drawn, and applies `--plain` to commands.
    ///
    /// `--plain` is allowed everywhere, so that it can be part of an alias.
    static func apply(to command: any ParsableCommand) throws {
        guard let given = given.withLock({ $0 }), !(command is any ScreenCommand),
            !isHelp(command)
        else { return }
        if given.theme != nil {
            throw ValidationError(
                "--theme has no meaning for this command: only byteclub and byteclub login open the screen."
            )
        }
        Output.isPlain.store(given.plain, ordering: .relaxed)
    }

    /// Whether a command only prints help: its type belongs to ArgumentParser.
    private static func isHelp(_ command: any ParsableCommand) -> Bool {
        type(of: command)._commandName == "help"
    }
}

/// A command that opens the screen.
protocol ScreenCommand: ParsableCommand {
    var screen: ScreenOptions { get }
}
