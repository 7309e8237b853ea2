internal import ByteClubMessages

/// Lists the keys of a context, with a filter; Enter performs the selected command.
public final class KeyMenuController: ViewController {
    struct Item {
        let entry: KeyTable.Entry
        let keys: String
        let section: String
    }

    private let items: [Item]
    private var shown: [Item] = []
    private var filter = "" {
        didSet { applyFilter() }
    }
    private let list = ListView()
    private let perform: @MainActor (KeyTable.Entry) -> Void

    /// - Parameters:
    ///   - chain: The contexts, nearest first; that of a text is listed last.
    ///   - perform: Performs the chosen command after the menu was dismissed.
    public init(
        chain: [Responder], bindings: KeyBindings,
        perform: @escaping @MainActor (KeyTable.Entry) -> Void
    ) {
        let commands = AvailableCommand.list(along: chain, bindings: bindings)
        // The keys of every text come last: who reads this in a text looks for what it can do besides, and must not
        // change it with Enter.
        let sorted = commands.filter { !$0.isTextInput } + commands.filter(\.isTextInput)
        items = sorted.map { command in
            Item(
                entry: command.entry,
                keys: command.keys.map(\.displayName).joined(separator: "  "),
                section: command.context)
        }
        self.perform = perform
        super.init()
        title = localized("Keys")
    }

    public override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        list.isFocusable = false
        list.looksFocused = true
        list.emptyText = TextLine(localized("No key matches."), .secondary)
        applyFilter()
    }

    public override func makeView() -> View {
        FilteredList(list: list) { [weak self] in self?.filter = $0 }
    }

    public override func preferredSize(in available: Size) -> Size {
        let widest = items.map { item in
            Surface.columnCount(of: item.entry.command.title)
                + Surface.columnCount(of: item.section)
        }
        return Size(
            width: min(available.width, max(44, (widest.max() ?? 0) + keysWidth + 9)),
            height: min(available.height, items.count + 2))
    }

    private var keysWidth: Int {
        min(26, items.map { Surface.columnCount(of: $0.keys) }.max() ?? 0)
    }

    // MARK: - Filter

    /// Applies the typed filter.
    private func applyFilter() {
        let words = filter.lowercased().split(separator: " ")
        shown = items.filter { item in
            let command = item.entry.command
            let english = Localization.english(command.title)
            let text = "\(command.title) \(english) \(item.keys) \(item.section)"
                .lowercased()
            return words.allSatisfy { text.contains($0) }
        }
        list.reloadData()
    }

    public override var keyTable: KeyTable {
        KeyTable(localized("Keys")) {
            KeyCommand.closeMenu.performs { self.dismiss() }
        }
    }
}

extension KeyMenuController: ListViewDataSource, ListViewDelegate {
    public func numberOfRows(in list: ListView) -> Int { shown.count }

    public func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let item = shown[index]
        let isEnabled = item.entry.isEnabled
        let keys = TextLine(item.keys, isEnabled ? .key : .disabled)
        let padding = String(repeating: " ", count: max(1, keysWidth + 2 - keys.columnCount))
        return ListRow(
            keys + TextLine(padding)
                + TextLine(item.entry.command.title, isEnabled ? .text : .disabled),
            columns: [.init(item.section, width: Surface.columnCount(of: item.section))])
    }

    public func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        shown[index].entry.command.id
    }

    public func listView(_ list: ListView, didActivateRowAt index: Int) {
        let entry = shown[index].entry
        dismiss { self.perform(entry) }
    }
}

extension KeyCommand {
    /// Closes the key menu or the command palette; nothing is run.
    public static let closeMenu = KeyCommand(
        "menu.close", keys: ["Esc", "F1", "^C"], title: localized("Close the menu"),
        label: localized("close"), weight: 90
    )
}
