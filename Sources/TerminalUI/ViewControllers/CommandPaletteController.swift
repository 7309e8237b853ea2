internal import Messages

/// Something that can be done by typing its words after `:`, e.g. `club work`.
@MainActor
public struct PaletteCommand {
    /// The words to be typed, compared without regard to case.
    public let words: String
    /// What it does, in a few words.
    public let title: String
    /// Why it cannot be done now, as a sentence; nil when it can.
    public let reason: String?
    /// Called on the main actor when the command is run, after the palette has left the screen.
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

/// A line for commands, and the list of those that fit what is typed; Tab completes, Enter runs.
///
/// The commands that have words come first; those that have keys follow, found by what they do.
public final class CommandPaletteController: ViewController {
    struct Item {
        let words: String
        let title: String
        var otherTitle = ""
        let keys: String
        let reason: String?
        let action: @MainActor () -> Void

        /// What the list is searched by: in English, too, for which no input method is needed.
        var text: String { "\(words) \(title) \(keys) \(otherTitle)".lowercased() }
    }

    private var items: [Item]
    /// How many of them have words.
    private var commandCount: Int
    private var typed = ""
    private var shown: [Item] = []
    private let list = ListView()
    private lazy var prompt = FilteredList(
        list: list, prompt: ": ", hint: localized("type a command"),
        completion: { [weak self] in self?.completion(of: $0) },
        didChange: { [weak self] in self?.show(matching: $0) })

    /// - Parameters:
    ///   - commands: Those with words.
    ///   - chain: The contexts whose keys are listed too, the nearest first.
    ///   - perform: Does what was chosen of the latter, once the palette is gone.
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

    /// Replaces the commands with words; what is typed and what is chosen stay.
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

    /// Commands whose words begin with it, then those that have all of its words somewhere.
    private func find() {
        let typed = Self.normalized(typed)
        let parts = typed.split(separator: " ")
        let begun = items.filter { !typed.isEmpty && $0.words.lowercased().hasPrefix(typed) }
        let found = items.filter { item in
            let isBegun = !typed.isEmpty && item.words.lowercased().hasPrefix(typed)
            return !isBegun && parts.allSatisfy { item.text.contains($0) }
        }
        shown =
            begun.filter { $0.words.lowercased() == typed }
            + begun.filter { $0.words.lowercased() != typed } + found
    }

    private func show(matching typed: String) {
        self.typed = typed
        find()
        list.reloadData()
        list.select(0)
    }

    /// As far as all commands that begin so agree; the chosen one's words when that adds nothing.
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
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0.0.lowercased() == $0.1.lowercased() }.map(\.0))
    }
}
