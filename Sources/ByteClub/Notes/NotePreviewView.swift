internal import ClubAccess
internal import TerminalUI
internal import TextEditing

/// The beginning of a note beside the list; only read, wrapped to the width there is.
final class NotePreviewView: View {
    enum Content: Equatable {
        case nothing
        case loading
        case text(String)
        /// Why there is nothing to see.
        case unavailable(String)
    }

    var content = Content.nothing {
        didSet {
            guard content != oldValue else { return }
            wrapped = nil
            setNeedsDisplay()
        }
    }

    /// The lines of the last frame: wrapping is done once per text and width.
    private var wrapped: (width: Int, lines: [TextLine])?

    /// More than fills the largest screen; the rest is for the editor.
    static let byteLimit = 16_384

    override func draw(on surface: Surface) {
        switch content {
        case .nothing: break
        case .loading: surface.draw("…", at: .zero, role: .secondary)
        case .unavailable(let reason): draw(lines(reason, .secondary), on: surface)
        case .text(let text): draw(lines(text, .text), on: surface)
        }
    }

    private func draw(_ lines: [TextLine], on surface: Surface) {
        for (row, line) in lines.prefix(bounds.height).enumerated() {
            surface.draw(line, at: Point(x: 0, y: row))
        }
    }

    private func lines(_ text: String, _ role: Role) -> [TextLine] {
        if let wrapped, wrapped.width == bounds.width { return wrapped.lines }
        let lines = TextLine(text, role).wrapped(columns: max(1, bounds.width))
        wrapped = (bounds.width, lines)
        return lines
    }
}
