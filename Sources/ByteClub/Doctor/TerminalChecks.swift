internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI

/// The checks for the screen: the terminal, its colors, its characters, its clipboard.
enum TerminalChecks {
    static func diagnostics(
        _ facts: TerminalFacts, environment: [String: String]
    ) -> [Diagnostic] {
        [terminal(facts), characters(facts), colors(facts), clipboard(environment)]
    }

    /// The smallest screen on which every function is reachable.
    private static let smallest = Size(width: 20, height: 6)

    static func terminal(_ facts: TerminalFacts) -> Diagnostic {
        let subject = "terminal"
        let advice = localized(
            "Set TERM to what the terminal is, for instance: export TERM=xterm-256color")
        if facts.type.isEmpty {
            return Diagnostic(
                subject, .problem,
                localized("TERM is not set, so nothing is known about the terminal."),
                advice: advice)
        }
        guard facts.isKnown else {
            return Diagnostic(
                subject, .problem,
                localized("Nothing is known here about the terminal type “\(facts.type)” (TERM)."),
                advice: advice
                    + localized(
                        "; or install the package ncurses-term, which describes more of them."))
        }
        guard facts.canPlaceCursor else {
            return Diagnostic(
                subject, .problem,
                localized("A terminal of type “\(facts.type)” cannot place its cursor."),
                advice: advice)
        }
        guard facts.isInteractive, let size = facts.size else {
            return Diagnostic(
                subject, .notice,
                localized("The output is not a terminal, so its size was not checked."),
                advice: localized(
                    "Run byteclub doctor in the terminal that Byte Club is to run in."))
        }
        guard size.width >= smallest.width, size.height >= smallest.height else {
            return Diagnostic(
                subject, .problem,
                localized("The terminal has \(size.width)×\(size.height) cells."),
                advice: localized(
                    "Make it at least \(smallest.width) wide and \(smallest.height) high."))
        }
        return Diagnostic(
            subject, .fine,
            localized(
                "“\(facts.type)” with \(size.width)×\(size.height) cells, drawn by \(facts.library)."
            ))
    }

    static func characters(_ facts: TerminalFacts) -> Diagnostic {
        guard facts.isUTF8 else {
            return Diagnostic(
                "characters", .notice,
                localized(
                    "The locale names an encoding other than UTF-8: letters outside ASCII are shown as “?”."
                ),
                advice: localized("Choose a UTF-8 locale, for instance: export LC_ALL=C.UTF-8"))
        }
        return Diagnostic("characters", .fine, localized("UTF-8."))
    }

    static func colors(_ facts: TerminalFacts) -> Diagnostic {
        let subject = "colours"
        if facts.wantsNoColor {
            return Diagnostic(subject, .fine, localized("None, as NO_COLOR asks."))
        }
        let hint =
            localized(
                "If the terminal shows 24-bit colors, pictures look better with: export COLORTERM=truecolor"
            )
        return switch facts.colorDepth {
        case .direct: Diagnostic(subject, .fine, localized("24 bits."))
        case .palette:
            Diagnostic(
                subject, .notice, localized("256, so pictures are approximate."), advice: hint)
        case .sixteen, .eight:
            Diagnostic(
                subject, .notice,
                localized("\(facts.colorDepth.rawValue), so pictures are hard to make out."),
                advice:
                    localized(
                        "Set TERM to the 256-color type of the terminal, for instance: export "
                            + "TERM=xterm-256color"
                    )
            )
        case .monochrome:
            Diagnostic(
                subject, .notice, localized("The terminal has none."),
                advice: localized(
                    "Panoramas need colors: open Byte Club in another terminal for them."))
        }
    }

    /// Copying uses the terminal (OSC 52) and so works over SSH; not all terminals allow it.
    static func clipboard(_ environment: [String: String]) -> Diagnostic {
        let subject = "clipboard"
        func has(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
        if environment["TERM"] == "linux" {
            return Diagnostic(
                subject, .notice,
                localized("The Linux console has no clipboard: copies stay within Byte Club."))
        }
        if has("TMUX") {
            return Diagnostic(
                subject, .notice,
                localized("tmux passes copied text on only if it is configured to."),
                advice: localized("Run: tmux set -s set-clipboard on"))
        }
        if has("STY") {
            return Diagnostic(
                subject, .notice, localized("screen does not pass copied text on to the terminal."),
                advice: localized("Use tmux, or no multiplexer, to copy into other programs."))
        }
        if has("VTE_VERSION") {
            return Diagnostic(
                subject, .notice,
                localized(
                    "Terminals like GNOME's do not accept text for the clipboard: copies stay within Byte Club."
                ),
                advice:
                    localized(
                        "Select with Shift and the mouse, or use a terminal with OSC 52 (kitty, foot, xterm)."
                    )
            )
        }
        return Diagnostic(
            subject, .fine, localized("Copied text is handed to the terminal (OSC 52)."))
    }
}
