internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// A read-only view of a note that is not UTF-8: in its probable encoding, or as bytes.
///
/// If nothing would be lost, it can be opened in the editor as UTF-8.
final class NoteReaderViewController: ViewController {
    /// The frame beside the list; nil if there is not enough room.
    var paneBesideList: (() -> Rect?)?
    /// Opens the editor with the text in UTF-8.
    private let convert: @MainActor (TextBuffer) -> Void
    private let encoding: TextEncoding?
    private let decoded: TextBuffer?

    private let textView = TextView()
    private lazy var findBar = FindBar(textView)
    private lazy var form = NoteForm(textView: textView, findBar: findBar)
    private lazy var panel = Panel(TextLine(title, .heading), content: form, padding: 1)

    /// - Parameters:
    ///   - encoding: Nil if it is not text.
    ///   - decoded: The text in UTF-8; nil if it cannot be decoded.
    init(
        name: String, bytes: TextBuffer, encoding: TextEncoding?, decoded: TextBuffer?,
        settings: EditorSettings, convert: @escaping @MainActor (TextBuffer) -> Void
    ) {
        self.encoding = encoding
        self.decoded = decoded
        self.convert = convert
        super.init()
        title = name
        textView.isEditable = false
        textView.wrapsLines = settings.wrapsLines
        textView.tabWidth = settings.tabWidth
        textView.load(decoded ?? bytes)
        textView.didMoveCaret = { [weak self] in self?.findBar.selectionDidChange() }
    }

    override var presentationStyle: PresentationStyle { .pane }

    override func paneFrame(in bounds: Rect) -> Rect { paneBesideList?() ?? bounds }

    override func viewDidLoad() {
        let name =
            decoded == nil ? localized("not text") : encoding?.rawValue ?? localized("not text")
        panel.footer = TextLine(localized("\(name) · read only"), .warning)
        view.addSubview(panel)
    }

    override func layoutView(in bounds: Rect) { panel.frame = bounds }

    override var preferredFirstResponder: View? { textView }

    override var keyTable: KeyTable {
        KeyTable(localized("Reader")) {
            KeyCommand.closeReader.performs {
                self.findBar.isHidden ? self.dismiss() : self.findBar.close(goingBack: false)
            }
            KeyCommand.findInNote.performs { self.findBar.open(replacing: false) }
            KeyCommand.nextInNote.performs(unless: unlessFindable) { self.findBar.move(by: 1) }
            KeyCommand.previousInNote.performs(unless: unlessFindable) {
                self.findBar.move(by: -1)
            }
            KeyCommand.goToLineInNote.performs { GoToLine.ask(over: self, in: self.textView) }
            KeyCommand.convertNote.performs(
                unless: decoded == nil
                    ? localized("This is not text, so there is nothing to convert.") : nil
            ) { self.convertNow() }
        }
    }

    private var unlessFindable: String? {
        findBar.hasQuery ? nil : localized("Nothing was searched for yet: press / first.")
    }

    private func convertNow() {
        guard let decoded else { return }
        dismiss { [convert] in convert(decoded) }
    }
}

extension KeyCommand {
    static let closeReader = KeyCommand(
        "reader.close", keys: ["Esc", "q", "^C"], title: localized("Back to the list"),
        label: localized("back"),
        weight: 98)
    static let convertNote = KeyCommand(
        "reader.convert", keys: ["c", "Enter"],
        title: localized("Edit it as UTF-8; saving replaces the file's encoding"),
        label: localized("convert to UTF-8"),
        weight: 90)
    static let findInNote = KeyCommand(
        "reader.find", keys: ["/", "^F"], title: localized("Find in the whole note"),
        label: localized("find"), weight: 90)
    static let nextInNote = KeyCommand(
        "reader.next", keys: ["n", "^N"], title: localized("The next place with these words"),
        label: localized("next"), weight: 80)
    static let previousInNote = KeyCommand(
        "reader.previous", keys: ["N", "^P"], title: localized("The place before with these words"))

    static let goToLineInNote = KeyCommand(
        "reader.line", keys: ["M-g"], title: localized("Go to a line by its number"),
        label: localized("line"), weight: 60)

    static let readerCommands: [KeyCommand] = [
        .closeReader, .convertNote, .findInNote, .nextInNote, .previousInNote,
        .goToLineInNote,
    ]
}
