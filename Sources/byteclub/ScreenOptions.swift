import ArgumentParser
import ByteClub
import TerminalUI

/// How the screen looks, this time.
struct ScreenOptions: ParsableArguments {
    private static let names = Theme.Scheme.allCases.map(\.rawValue)

    @Option(
        help: ArgumentHelp(
            "How the screen looks: \(names.joined(separator: ", ")).", valueName: "name"),
        completion: .list(names),
        transform: { name in
            guard let scheme = Theme.Scheme(rawValue: name) else {
                throw ValidationError("There are: \(names.joined(separator: ", ")).")
            }
            return scheme
        })
    var theme: Theme.Scheme?

    @Flag(
        help:
            "For a reader of screens: no lines, no colors, no pictures, the cursor where the keys go."
    )
    var plain = false

    var choices: ScreenChoices { ScreenChoices(scheme: theme, isPlain: plain ? true : nil) }
}
