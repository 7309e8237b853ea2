internal import TerminalUI

/// The checks of what the screen needs: the terminal, its colours, its characters, its clipboard.
enum TerminalChecks {
    static func findings(
        _ facts: TerminalFacts, environment: [String: String]
    ) -> [Finding] {
        [terminal(facts), characters(facts), colors(facts), clipboard(environment)]
    }

    /// The smallest screen that everything can be reached on.
    private static let smallest = Size(width: 20, height: 6)

    static func terminal(_ facts: TerminalFacts) -> Finding {
        let subject = "terminal"
        let advice = "Set TERM to what the terminal is, for instance: export TERM=xterm-256color"
        if facts.type.isEmpty {
            return Finding(
                subject, .problem, "TERM is not set, so nothing is known about the terminal.",
                advice: advice)
        }
        guard facts.isKnown else {
            return Finding(
                subject, .problem,
                "Nothing is known here about the terminal type “\(facts.type)” (TERM).",
                advice: advice
                    + "; or install the package ncurses-term, which describes more of them.")
        }
        guard facts.canPlaceCursor else {
            return Finding(
                subject, .problem, "A terminal of type “\(facts.type)” cannot place its cursor.",
                advice: advice)
        }
        guard facts.isInteractive, let size = facts.size else {
            return Finding(
                subject, .notice, "This output goes to no terminal, so its size was not looked at.",
                advice: "Run byteclub doctor in the terminal that Byte Club is to run in.")
        }
        guard size.width >= smallest.width, size.height >= smallest.height else {
            return Finding(
                subject, .problem, "The terminal has \(size.width)×\(size.height) cells.",
                advice: "Make it at least \(smallest.width) wide and \(smallest.height) high.")
        }
        return Finding(
            subject, .fine,
            "“\(facts.type)” with \(size.width)×\(size.height) cells, drawn by \(facts.library).")
    }

    static func characters(_ facts: TerminalFacts) -> Finding {
        guard facts.isUTF8 else {
            return Finding(
                "characters", .notice,
                "The locale names an encoding other than UTF-8: letters outside ASCII are shown as “?”.",
                advice: "Choose a UTF-8 locale, for instance: export LC_ALL=C.UTF-8")
        }
        return Finding("characters", .fine, "UTF-8.")
    }

    static func colors(_ facts: TerminalFacts) -> Finding {
        let subject = "colours"
        if facts.wantsNoColor {
            return Finding(subject, .fine, "None, as NO_COLOR asks.")
        }
        let hint =
            "If the terminal shows 24-bit colours, pictures look better with: export COLORTERM=truecolor"
        return switch facts.colorDepth {
        case .direct: Finding(subject, .fine, "24 bits.")
        case .palette: Finding(subject, .notice, "256, so pictures are approximate.", advice: hint)
        case .sixteen, .eight:
            Finding(
                subject, .notice, "\(facts.colorDepth.rawValue), so pictures are hard to make out.",
                advice:
                    "Set TERM to the 256-colour type of the terminal, for instance: export TERM=xterm-256color"
            )
        case .monochrome:
            Finding(
                subject, .notice, "The terminal has none.",
                advice: "Panoramas need colours: open Byte Club in another terminal for them.")
        }
    }

    /// Copying goes through the terminal (OSC 52), and so works over SSH; not all let it.
    static func clipboard(_ environment: [String: String]) -> Finding {
        let subject = "clipboard"
        func has(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
        if environment["TERM"] == "linux" {
            return Finding(
                subject, .notice,
                "The Linux console has no clipboard: copies stay within Byte Club.")
        }
        if has("TMUX") {
            return Finding(
                subject, .notice, "tmux passes copied text on only when it is told to.",
                advice: "Run: tmux set -s set-clipboard on")
        }
        if has("STY") {
            return Finding(
                subject, .notice, "screen does not pass copied text on to the terminal.",
                advice: "Use tmux, or no multiplexer, to copy into other programs.")
        }
        if has("VTE_VERSION") {
            return Finding(
                subject, .notice,
                "Terminals of GNOME's kind take no text for the clipboard: copies stay within Byte Club.",
                advice:
                    "Select with Shift and the mouse, or use a terminal with OSC 52 (kitty, foot, xterm)."
            )
        }
        return Finding(subject, .fine, "Copied text is handed to the terminal (OSC 52).")
    }
}
