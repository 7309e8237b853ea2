internal import ClubAccess
internal import Messages
internal import TerminalUI
internal import TextEditing

/// A note as it was typed here beside the club's version of it; only to be read.
final class NoteComparisonViewController: TextPageViewController {
    /// Called when it has left the screen.
    private let didClose: @MainActor () -> Void

    init(name: String, text: TextBuffer, didClose: @escaping @MainActor () -> Void) {
        self.didClose = didClose
        super.init(
            title: localized("“\(name)”: yours and the club's"), text: text,
            footer: TextLine(localized("- in yours alone · + in the club's alone")))
    }

    override var keyTable: KeyTable {
        KeyTable(localized("Comparison")) {
            KeyCommand.closePage.performs { self.close() }
        }
    }

    private func close() {
        dismiss { [didClose] in didClose() }
    }
}
