import TestSupport
import Testing

/// A screen that a person may have: its size and what it can show.
struct Look: Sendable, CustomTestStringConvertible {
    let name: String
    let size: TerminalSize
    let terminal: String
    let environment: [String: String]
    let depth: Depth

    enum Depth: Sendable {
        case mono
        case eight
        case many
    }

    init(
        _ name: String, _ size: TerminalSize, _ terminal: String, _ depth: Depth,
        _ environment: [String: String] = [:]
    ) {
        self.name = name
        self.size = size
        self.terminal = terminal
        self.depth = depth
        self.environment = environment
    }

    /// The same with more variables.
    func with(_ more: [String: String]) -> Look {
        Look(name, size, terminal, depth, environment.merging(more) { $1 })
    }

    var testDescription: String { "\(name), \(size)" }

    static let classic = Look("256 colours", .classic, "xterm-256color", .many)
    static let wide = Look("256 colours", .wide, "xterm-256color", .many)

    static let all = [
        classic, wide,
        Look("NO_COLOR", .classic, "xterm-256color", .mono, ["NO_COLOR": "1"]),
        Look("8 colours", .classic, "xterm", .eight),
        Look("8 colours", .wide, "xterm", .eight),
        Look("mono", .classic, "vt100", .mono),
        Look("mono", .wide, "vt100", .mono),
    ]

    /// What is wrong with the colors of a screen; nil when they are all possible here.
    func colorProblem(in screen: TerminalScreen) -> String? {
        switch depth {
        case .mono:
            return screen.colors.isEmpty ? nil : "a screen without colours shows \(screen.colors)"
        case .eight:
            let wrong = screen.colors.filter {
                if case .palette(let index) = $0 { index > 15 } else { true }
            }
            return wrong.isEmpty ? nil : "a screen of eight colours shows \(wrong)"
        case .many:
            return screen.colors.isEmpty ? "a screen with colours shows none" : nil
        }
    }
}

/// What stands on the screen and never changes: people and scripts look for it.
enum Label {
    static let notes = "Notes"
    static let photos = "PanoPhotos"
    static let cancel = "Cancel"
    static let done = "Done"
    static let nameField = "Challenge name"
    static let noteField = "Note"
}
