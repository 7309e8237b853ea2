internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Asks for the number of a line and goes there.
@MainActor enum GoToLine {
    static func ask(over controller: ViewController, in textView: TextView) {
        let last = textView.buffer.lineCount
        controller.present(
            PromptViewController(
                title: localized("Go to line"), label: localized("Line, or line:column"), text: "",
                action: localized("Go"),
                hint: localized("The note has \(last) lines; -1 is the last one.")
            ) { [weak textView] typed in
                guard let place = place(typed, lineCount: last) else {
                    return localized("Type a number, such as 12, or 12:5 for its fifth character.")
                }
                textView?.go(to: place)
                return nil
            })
    }

    /// The place that `12`, `12:5` or `-1` names; nil for anything else.
    static func place(_ typed: String, lineCount: Int) -> TextPosition? {
        let parts = typed.filter { !$0.isWhitespace }
            .split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(parts.count), !parts.contains(nil), let line = parts[0], line != 0
        else { return nil }
        let column = parts.count == 2 ? parts[1] ?? 1 : 1
        guard column > 0 else { return nil }
        // From the end, as in other editors.
        let fromStart = line > 0 ? line - 1 : max(0, lineCount &+ line)
        return TextPosition(line: fromStart, column: column - 1)
    }
}

extension KeyCommand {
    static let goToLine = KeyCommand(
        "editor.line", keys: ["M-g"], title: localized("Go to a line by its number"),
        label: localized("line"), weight: 30)
}
