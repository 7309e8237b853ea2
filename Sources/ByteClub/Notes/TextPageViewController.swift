internal import TerminalUI
internal import TextEditing

/// A read-only text with formatted parts.
struct TextPage: Sendable {
    var text: TextBuffer
    var highlights: [TextHighlight] = []
}

/// A full-screen read-only text, such as a comparison. Subclasses define the key commands.
class TextPageViewController: ViewController {
    private let textView = TextView()
    private lazy var panel = Panel(TextLine(title, .heading), content: textView, padding: 1)
    private let page: TextPage
    private let footer: TextLine

    /// - Parameter footer: The legend of the marks in the text.
    init(title: String, page: TextPage, footer: TextLine) {
        self.page = page
        self.footer = footer
        super.init()
        self.title = title
    }

    override var presentationStyle: PresentationStyle { .fullScreen }

    override func viewDidLoad() {
        textView.isEditable = false
        textView.load(page.text)
        textView.highlights = page.highlights
        panel.footer = footer
        view.addSubview(panel)
    }

    override func layoutView(in bounds: Rect) { panel.frame = bounds }
}
