internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Shows a note that is too large for the editor: some MiB are in memory, and scrolling loads the next part.
final class LargeNoteViewController: ViewController {
    /// The frame beside the list; nil if there is not enough room.
    var paneBesideList: (() -> Rect?)?

    private let text: LargeText
    private let textView = TextView()
    private lazy var panel = Panel(TextLine(title, .heading), content: textView, padding: 1)
    /// The part in memory.
    private var part: LargeText.Part?
    private var loading: Task<Void, Never>?
    private var words = ""
    private var isSearching = false
    /// The offset of the last match in the file.
    private var found: Int64?

    init(name: String, _ text: LargeText, settings: EditorSettings) {
        self.text = text
        super.init()
        title = name
        textView.isEditable = false
        textView.wrapsLines = settings.wrapsLines
        textView.tabWidth = settings.tabWidth
    }

    override var presentationStyle: PresentationStyle { .pane }

    override func paneFrame(in bounds: Rect) -> Rect { paneBesideList?() ?? bounds }

    override func viewDidLoad() {
        view.addSubview(panel)
        textView.didScroll = { [weak self] in self?.showPlace() }
        textView.didScrollBeyond = { [weak self] in self?.showNextPart($0) }
        load { $0.part(at: 0) }
    }

    override func viewDidDisappear() { loading?.cancel() }

    override func layoutView(in bounds: Rect) { panel.frame = bounds }

    override var preferredFirstResponder: View? { textView }

    override var keyTable: KeyTable {
        let none = words.isEmpty ? localized("Nothing was searched for yet: press / first.") : nil
        return KeyTable(localized("Reader")) {
            if isSearching {
                KeyCommand.stopFindingInLargeNote.performs { self.stopFinding() }
            }
            KeyCommand.closeReader.performs { self.dismiss() }
            KeyCommand.findInNote.performs { self.askForWords() }
            KeyCommand.nextInNote.performs(unless: none) { self.find(backwards: false) }
            KeyCommand.previousInNote.performs(unless: none) { self.find(backwards: true) }
            KeyCommand.startOfLargeNote.performs { self.load { $0.part(at: 0) } }
            KeyCommand.endOfLargeNote.performs {
                self.load({ $0.lastPart() }) { _ in self.textView.showEnd() }
            }
        }
    }
}

// MARK: - Parts

extension LargeNoteViewController {
    /// Reads another part off the main actor; the current one stays until then.
    private func load(
        _ read: @escaping @Sendable (LargeText) -> LargeText.Part,
        then show: @escaping @MainActor (LargeText.Part) -> Void = { _ in }
    ) {
        loading?.cancel()
        let text = text
        loading = startPending { [weak self] in
            let part = await Self.run { read(text) }
            guard !Task.isCancelled, let self else { return }
            self.part = part
            textView.load(part.text)
            show(part)
            showPlace()
        }
    }

    @concurrent private nonisolated static func run<Value: Sendable>(
        _ body: @Sendable () -> Value
    ) async -> Value { body() }

    /// Loads the next part; one line of the current one stays visible.
    private func showNextPart(_ direction: Int) {
        guard let part, let rows = textView.visibleRange else { return }
        let isPlain = text.encoding == nil
        if direction > 0 {
            guard part.range.upperBound < text.byteCount else { return }
            let place = part.range.lowerBound + Int64(rows.lastRow)
            load({ $0.part(at: isPlain ? place : part.range.upperBound) }) { [textView] part in
                guard isPlain else { return }
                textView.show(offset: Int(max(0, place - part.range.lowerBound)))
            }
        } else {
            guard part.range.lowerBound > 0 else { return }
            load({ $0.part(before: part.range.lowerBound) }) { [textView] _ in textView.showEnd() }
        }
    }

    /// `1.0 GB · 42 % · Latin-1 · read only` in the frame.
    private func showPlace() {
        let place = (part?.range.lowerBound ?? 0) + Int64(textView.visibleRange?.firstRow ?? 0)
        let percent = text.byteCount == 0 ? 100 : Int(min(100, place * 100 / text.byteCount))
        let atEnd = part?.range.upperBound == text.byteCount && textView.showsEnd
        var words = [Wording.byteCount(text.byteCount), "\(atEnd ? 100 : percent)%"]
        if !text.isText { words.append(localized("not text")) }
        if let encoding = text.encoding { words.append(encoding.rawValue) }
        words.append(localized("read only"))
        panel.footer = TextLine(words.joined(separator: " · "), .warning)
    }
}

// MARK: - Finding

extension LargeNoteViewController {
    private func askForWords() {
        present(
            PromptViewController(
                title: localized("Find in this note"), label: localized("Text"), text: "",
                action: localized("Find"),
                hint: localized("A capital letter makes upper and lower case differ.")
            ) { [weak self] typed in
                guard let self, !typed.isEmpty else {
                    return localized("Type what to look for.")
                }
                guard text.bytes(of: typed) != nil else {
                    return localized(
                        "This note cannot contain that: it is in \(text.encoding?.rawValue ?? "UTF-8")."
                    )
                }
                words = typed
                found = nil
                Task { self.find(backwards: false) }
                return nil
            })
    }

    /// Searches the whole file, from the last match or the visible part.
    private func find(backwards: Bool) {
        guard let wanted = text.bytes(of: words) else { return }
        let ignoresCase = !words.contains(where: \.isUppercase)
        let sight = (part?.range.lowerBound ?? 0) + Int64(textView.visibleRange?.firstRow ?? 0)
        let start = found.map { backwards ? $0 : $0 + 1 } ?? sight
        loading?.cancel()
        isSearching = true
        application?.showMessage(localized("Looking for “\(words)”…"), for: nil)
        let (text, searched) = (text, words)
        loading = startPending { [weak self] in
            let hit = await Self.find(wanted, in: text, from: start, backwards, ignoresCase)
            guard !Task.isCancelled, let self else { return }
            stopFinding()
            guard let hit else {
                application?.showMessage(
                    localized("“\(searched)” is not in this note."), .warning)
                return
            }
            found = hit.offset
            if hit.isAround {
                application?.showMessage(
                    backwards
                        ? localized("Going on from the end.")
                        : localized("Going on from the start."))
            }
            show(hit.offset, byteCount: wanted.count)
        }
    }

    private func stopFinding() {
        if isSearching { loading?.cancel() }
        isSearching = false
        application?.dismissMessage()
    }

    private struct Hit: Sendable {
        var offset: Int64
        /// Whether the search wrapped around.
        var isAround: Bool
    }

    @concurrent private nonisolated static func find(
        _ wanted: [UInt8], in text: LargeText, from start: Int64, _ backwards: Bool,
        _ ignoresCase: Bool
    ) async -> Hit? {
        func find(from start: Int64) -> Int64? {
            text.find(
                wanted, from: start, backwards: backwards, ignoresCase: ignoresCase,
                isCancelled: { Task.isCancelled })
        }
        if let offset = find(from: start) { return Hit(offset: offset, isAround: false) }
        return find(from: backwards ? text.byteCount : 0).map { Hit(offset: $0, isAround: true) }
    }

    private func show(_ offset: Int64, byteCount: Int) {
        // Leaves some lines visible above it.
        load({ $0.part(at: max(0, offset - 8192)) }) { [textView, text] part in
            textView.reveal(text.place(of: offset..<offset + Int64(byteCount), in: part))
        }
    }
}

extension KeyCommand {
    static let stopFindingInLargeNote = KeyCommand(
        "reader.stop", keys: ["Esc", "^C"], title: localized("Stop looking"),
        label: localized("stop"), weight: 99)
    static let startOfLargeNote = KeyCommand(
        "reader.start", keys: ["g g", "Home"], title: localized("To the start of the note"))
    static let endOfLargeNote = KeyCommand(
        "reader.end", keys: ["G", "End"], title: localized("To the end of the note"))

    static let largeNoteCommands: [KeyCommand] = [
        .startOfLargeNote, .endOfLargeNote, .stopFindingInLargeNote,
    ]
}
