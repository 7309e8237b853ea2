import CByteClubNcurses
import Glibc

/// Facts about the terminal that need no access to the screen: for a check of the set-up.
public struct TerminalFacts: Hashable, Sendable {
    /// The value of `TERM`; empty when it is not set.
    public var type = ""
    /// Whether terminfo describes that type.
    public var isKnown = false
    /// Whether terminfo says how to move the cursor; without, the screen cannot be used.
    public var canPlaceCursor = false
    /// How many colors it shows, by terminfo and the environment.
    public var colorDepth = ColorDepth.monochrome
    /// Whether `NO_COLOR` has switched the colors off.
    public var wantsNoColor = false
    /// Whether characters outside ASCII reach it.
    public var isUTF8 = false
    /// In cells; nil when standard output is not a terminal.
    public var size: Size?
    /// Whether standard input and output are both terminals.
    public var isInteractive = false
    /// E.g. `ncurses 6.4.20221231`.
    public var library = ""

    /// The version of the library that draws, e.g. `ncurses 6.4.20221231`. Looks at no terminal.
    public static var libraryVersion: String {
        curses_version().map { String(cString: $0) } ?? "ncurses"
    }

    /// The facts of a terminal about which nothing is known.
    public init() {}

    /// Examines the environment, standard input and output. Draws nothing.
    @MainActor public static func ofThisProgram() -> TerminalFacts {
        var facts = TerminalFacts()
        facts.type = getenv("TERM").map { String(cString: $0) } ?? ""
        facts.wantsNoColor = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        facts.isUTF8 = TerminalCharset.adopted() == .utf8
        facts.isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        facts.library = libraryVersion
        var (rows, columns): (Int32, Int32) = (0, 0)
        if isatty(STDOUT_FILENO) == 1, byteclub_window_size(STDOUT_FILENO, &rows, &columns) != 0 {
            facts.size = Size(width: Int(columns), height: Int(rows))
        }
        guard !facts.type.isEmpty, byteclub_setup_terminal(facts.type, STDOUT_FILENO) == 1 else {
            return facts
        }
        facts.isKnown = true
        facts.canPlaceCursor = byteclub_capability("cup") != nil
        facts.colorDepth = CursesScreen.colorDepth(
            colorCount: Int(max(0, byteclub_number_capability("colors"))))
        return facts
    }
}
