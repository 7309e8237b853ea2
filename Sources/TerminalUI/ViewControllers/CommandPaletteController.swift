internal import ByteClubMessages

/// A command typed as words after `:`, e.g. `club work`.
@MainActor
public struct PaletteCommand {
    /// The words to type; case is ignored.
    public let words: String
    /// What it does, in a few words.
    public let title: String
    /// Why it is not available now, as a sentence; nil if it is.
    public let reason: String?
    /// Called on the main actor after the palette was dismissed.
    public let action: @MainActor () -> Void

    public init(
        _ words: String, title: String, unless reason: String? = nil,
        action: @escaping @MainActor () -> Void
    ) {
        self.words = words
        self.title = title
        self.reason = reason
        self.action = action
    }
}

/// A command line with a list of matching commands; Tab completes, Enter runs.
///
/// Commands with words come first, then those with keys, found by their titles.
public final class CommandPaletteController: ViewController {
    struct Item {
        let words: String
        let title: String
        var otherTitle = ""
        let keys: String
        let reason: String?
        let action: @MainActor () -> Void

        /// The searched text: includes the English words, which need no input method.
        var text: String { "\(words) \(title) \(keys) \(otherTitle)".lowercased() }

        var titles: [String] { [title.lowercased(), otherTitle.lowercased()] }
    }

    private var items: [Item]
    /// The number of commands with words.
    private var commandCount: Int
    private var typed = ""
    private var shown: [Item] = []
    private let list = ListView()
    private lazy var prompt = FilteredList(
        list: list, prompt: ": ", hint: localized("type a command"),
        completion: { [weak self] in self?.completion(of: $0) },
        didChange: { [weak self] in self?.show(matching: $0) })

    /// - Parameters:
    ///   - commands: The commands with words.
    ///   - chain: The contexts whose commands with keys are listed, nearest first.
    ///   - perform: Performs a command of a context after the palette was dismissed.
    public init(
        _ commands: [PaletteCommand], chain: [Responder], bindings: KeyBindings,
        perform: @escaping @MainActor (KeyTable.Entry) -> Void
    ) {
        let own: Set<KeyCommand.ID> = [KeyCommand.commandPalette.id, KeyCommand.quit.id]
        commandCount = commands.count
        items =
            commands.map(Item.init)
            + AvailableCommand.list(along: chain, bindings: bindings)
            .filter { !own.contains($0.entry.command.id) }
            .map { command in
                Item(
                    words: "", title: command.entry.command.title,
                    otherTitle: Localization.english(command.entry.command.title),
                    keys: command.keys.map(\.displayName).joined(separator: "  "),
                    reason: command.entry.reason,
                    action: { perform(command.entry) })
            }
        super.init()
        title = localized("Command")
    }

    /// Replaces the commands with words; the typed text and the selection stay.
    func show(_ commands: [PaletteCommand]) {
        items.replaceSubrange(..<commandCount, with: commands.map(Item.init))
        commandCount = commands.count
        guard isViewLoaded else { return }
        find()
        list.reloadData()
        view.superview?.setNeedsLayout()
    }

    public override func makeView() -> View { prompt }

    public override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.isFocusable = false
        list.looksFocused = true
        list.emptyText = TextLine(localized("There is no such command."), .secondary)
        show(matching: "")
    }

    public override func preferredSize(in available: Size) -> Size {
        let widest = items.map { Surface.columnCount(of: $0.title) }.max() ?? 0
        return Size(
            width: min(available.width, max(44, wordsWidth + widest + 5)),
            height: min(available.height, items.count + 2, 16))
    }

    private var wordsWidth: Int {
        min(24, items.map { Surface.columnCount(of: $0.words + $0.keys) }.max() ?? 0)
    }

    // MARK: - What is typed

    /// Commands whose words begin with the text, then those that contain all of its words.
    private func find() {
        let typed = Self.normalized(typed)
        let parts = typed.split(separator: " ")
        let begun = items.filter { !typed.isEmpty && $0.words.lowercased().hasPrefix(typed) }
        let found = items.filter { item in
            let isBegun = !typed.isEmpty && item.words.lowercased().hasPrefix(typed)
            return !isBegun && parts.allSatisfy { item.text.contains($0) }
        }
        // Titles that begin with the text come first: `delete` finds "Delete" before the trash of deleted
        // notes.
        let named = found.filter { !typed.isEmpty && $0.titles.contains { $0.isName(typed) } }
        let others = found.filter { typed.isEmpty || !$0.titles.contains { $0.isName(typed) } }
        shown =
            begun.filter { $0.words.lowercased() == typed }
            + begun.filter { $0.words.lowercased() != typed } + named + others
    }

    private func show(matching typed: String) {
        self.typed = typed
        find()
        list.reloadData()
        list.select(0)
    }

    /// The common prefix of all matching commands; the selected one's words if that adds nothing.
    private func completion(of typed: String) -> String? {
        let start = Self.normalized(typed)
        let words = items.map(\.words).filter { !$0.isEmpty && $0.lowercased().hasPrefix(start) }
        guard let first = words.first else { return nil }
        let common = words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        if common.count > start.count { return common }
        guard let index = list.selectedIndex, !shown[index].words.isEmpty else { return nil }
        return shown[index].words
    }

    private static func normalized(_ typed: String) -> String {
        typed.lowercased().split(separator: " ").joined(separator: " ")
    }

    public override var keyTable: KeyTable {
        KeyTable(localized("Command")) {
            KeyCommand.closeMenu.performs { self.dismiss() }
        }
    }
}

extension CommandPaletteController: ListViewDataSource, ListViewDelegate {
    public func numberOfRows(in list: ListView) -> Int { shown.count }

    public func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let item = shown[index]
        let isEnabled = item.reason == nil
        let name = TextLine(
            item.words.isEmpty ? item.keys : item.words, isEnabled ? .key : .disabled)
        let padding = String(repeating: " ", count: max(1, wordsWidth + 2 - name.columnCount))
        return ListRow(
            name + TextLine(padding) + TextLine(item.title, isEnabled ? .text : .disabled))
    }

    public func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        shown[index].text
    }

    public func listView(_ list: ListView, didActivateRowAt index: Int) {
        let item = shown[index]
        let application = application
        dismiss {
            if let reason = item.reason {
                application?.showMessage(reason, .warning)
            } else {
                item.action()
            }
        }
    }
}

extension CommandPaletteController.Item {
    fileprivate init(_ command: PaletteCommand) {
        self.init(
            words: command.words, title: command.title, keys: "", reason: command.reason,
            action: command.action)
    }
}

extension String {
    /// Whether a title begins with whole words: `delete` matches `delete the note`, not `deleted notes`.
    fileprivate func isName(_ words: String) -> Bool {
        guard hasPrefix(words) else { return false }
        return dropFirst(words.count).first.map { !$0.isLetter && !$0.isNumber } ?? true
    }

    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0.0.lowercased() == $0.1.lowercased() }.map(\.0))
    }
}
