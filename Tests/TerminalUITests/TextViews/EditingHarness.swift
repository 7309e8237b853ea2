@testable import TerminalUI
@testable import TextEditing

/// A controller with nothing but a text view, and a few keys of its own.
final class EditorController: ViewController {
    let textView = TextView()
    let log = Log()

    init(_ text: TextBuffer = "") {
        super.init()
        textView.load(text)
        textView.clipboard = Clipboard()
    }

    static let cancel = KeyCommand(
        "test.cancel", keys: ["Esc", "^C"], title: "Cancel", label: "Cancel")
    static let save = KeyCommand(
        "test.save", keys: ["^S"], title: "Save", label: "save", weight: 90)
    static let next = KeyCommand("test.next", keys: ["Tab"], title: "Next field")

    override func viewDidLoad() {
        textView.didChange = { [log] in log.note("change") }
        textView.didMoveCaret = { [log] in log.note("caret") }
        view.addSubview(textView)
    }

    override func layoutView(in bounds: Rect) { textView.frame = bounds }

    override var preferredFirstResponder: View? { textView }

    override var keyTable: KeyTable {
        KeyTable("Test") {
            Self.cancel.performs { self.log.note("cancel") }
            Self.save.performs { self.log.note("save") }
            Self.next.performs { self.log.note("next") }
        }
    }
}

/// A controller with a field, filling the first row.
final class LineController: ViewController {
    let field = TextField()
    let log = Log()

    override func viewDidLoad() {
        field.clipboard = Clipboard()
        view.addSubview(field)
    }

    override func layoutView(in bounds: Rect) {
        field.frame = Rect(x: 2, y: 1, width: 12, height: 1)
    }

    override var preferredFirstResponder: View? { field }

    override var keyTable: KeyTable {
        KeyTable("Test") {
            EditorController.cancel.performs { self.log.note("cancel") }
            EditorController.next.performs { self.log.note("next") }
            KeyCommand.nextRow.performs { self.log.note("down") }
        }
    }
}

extension TextInputView {
    /// The text with `|` for the caret and `[` for the other end of the selection.
    var marked: String {
        var bytes = buffer.bytes(in: 0..<buffer.count)
        let selection = editor.selection
        var marks = [(selection.head, UInt8(ascii: "|"))]
        if !selection.isEmpty { marks.append((selection.anchor, UInt8(ascii: "["))) }
        for (offset, mark) in marks.sorted(by: { $0.0 > $1.0 }) { bytes.insert(mark, at: offset) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
