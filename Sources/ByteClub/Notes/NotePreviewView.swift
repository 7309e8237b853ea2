internal import ClubAccess
internal import TerminalUI
internal import TextEditing

/// A read-only preview of a note beside the list, formatted like the editor.
final class NotePreviewView: View {
    enum Content: Equatable {
        case nothing
        case loading
        case text(TextBuffer)
        /// Why there is no preview.
        case unavailable(String)
    }

    var content = Content.nothing {
        didSet {
            guard content != oldValue else { return }
            if case .text(let text) = content {
                textView.load(text.withoutByteOrderMark)
            } else {
                textView.load(TextBuffer())
            }
            setNeedsDisplay()
        }
    }

    /// Whether the text is shown as Markdown.
    var showsMarkup: Bool {
        get { textView.showsMarkup }
        set { textView.showsMarkup = newValue }
    }

    private let textView = TextView()

    override init() {
        super.init()
        textView.isEditable = false
        textView.isFocusable = false
        textView.showsMarkup = true
        addSubview(textView)
    }

    /// Scrolls by rows, down when positive.
    func scroll(by rows: Int) { textView.scroll(by: rows) }

    override func layoutSubviews() { textView.frame = bounds }

    override func draw(on surface: Surface) {
        switch content {
        case .nothing, .text: break
        case .loading: surface.draw("…", at: .zero, role: .secondary)
        case .unavailable(let reason):
            let lines = TextLine(reason, .secondary).wrapped(columns: max(1, bounds.width))
            for (row, line) in lines.prefix(bounds.height).enumerated() {
                surface.draw(line, at: Point(x: 0, y: row))
            }
        }
    }
}
