internal import ClubAccess
internal import TerminalUI
internal import TextEditing

/// A note as it was typed here beside the club's version of it; only to be read.
final class NoteComparisonViewController: ViewController {
    private let textView = TextView()
    private lazy var panel = Panel(TextLine(title, .heading), content: textView, padding: 1)
    private let startText: TextBuffer
    /// Called when it has left the screen.
    private let didClose: @MainActor () -> Void

    init(name: String, text: TextBuffer, didClose: @escaping @MainActor () -> Void) {
        startText = text
        self.didClose = didClose
        super.init()
        title = "“\(name)”: yours and the club's"
    }

    override var presentationStyle: PresentationStyle { .fullScreen }

    override func viewDidLoad() {
        textView.isEditable = false
        textView.load(startText)
        panel.footer = "- in yours alone · + in the club's alone"
        view.addSubview(panel)
    }

    override func layoutView(in bounds: Rect) { panel.frame = bounds }

    override var keyTable: KeyTable {
        KeyTable("Comparison") {
            KeyCommand.cancelAlert.performs(label: "back") { self.close() }
        }
    }

    private func close() {
        dismiss { [didClose] in didClose() }
    }
}
