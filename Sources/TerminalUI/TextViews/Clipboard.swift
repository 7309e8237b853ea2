public import TextEditing

/// What was cut or copied last, for all views of the program; the terminal's clipboard gets it too.
@MainActor
public final class Clipboard {
    /// The clipboard that all text views use unless they are given another.
    public static let shared = Clipboard()

    /// The text cut or copied last; empty before that. Never one from the terminal's own clipboard.
    public private(set) var text = TextBuffer()

    /// Terminals take no more than this from a program (xterm: 100,000 characters of Base64).
    public static let terminalLimit = 74_000

    /// An empty clipboard, apart from ``shared``: for tests.
    public init() {}

    /// Keeps a text, and hands it to the terminal when that can take it.
    public func put(_ text: TextBuffer, for application: Application?) {
        guard !text.isEmpty else { return }
        self.text = text
        if text.count <= Self.terminalLimit { application?.copyToClipboard(text.string) }
    }
}
