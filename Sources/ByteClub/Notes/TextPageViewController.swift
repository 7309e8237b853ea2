internal import TerminalUI
internal import TextEditing

/// A text over the whole screen, only to be read: a comparison. Subclasses say what the keys do.
class TextPageViewController: ViewController {
    private let textView = TextView()
    private lazy var panel = Panel(TextLine(title, .heading), content: textView, padding: 1)
    private let startText: TextBuffer
    private let footer: TextLine

    /// - Parameter footer: What the marks in the text mean.
    init(title: String, text: TextBuffer, footer: TextLine) {
        startText = text
        self.footer = footer
        super.init()
        self.title = title
    }

    override var presentationStyle: PresentationStyle { .fullScreen }

    override func viewDidLoad() {
        textView.isEditable = false
        textView.load(startText)
        panel.footer = footer
        view.addSubview(panel)
    }

    override func layoutView(in bounds: Rect) { panel.frame = bounds }
}
