public import TextEditing

/// The program's clipboard, shared by all views; the terminal's clipboard gets the text, too.
@MainActor
public final class Clipboard {
    /// The clipboard that all text views use unless they are given another.
    public static let shared = Clipboard()

    /// The text cut or copied last; empty before that. Never one from the terminal's own clipboard.
    public private(set) var text = TextBuffer()
    /// How the lines of the text end from which it was taken.
    private(set) var lineEnding = LineEnding.lineFeed

    /// The terminal's limit (xterm: 100,000 characters of Base64).
    public static let terminalLimit = 74_000

    /// A separate clipboard: for tests.
    public init() {}

    /// Stores a text, and passes it to the terminal if that supports it.
    ///
    /// - Parameter lineEnding: How the lines of the text end from which it was taken; nil for those of its own.
    public func put(
        _ text: TextBuffer, lineEnding: LineEnding? = nil, for application: Application?
    ) {
        guard !text.isEmpty else { return }
        self.text = text
        self.lineEnding = lineEnding ?? text.lineEnding
        if text.count <= Self.terminalLimit { application?.copyToClipboard(text.string) }
    }
}
