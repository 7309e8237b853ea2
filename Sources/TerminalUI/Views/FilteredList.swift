internal import ByteClubMessages

/// A list with a filter field above it: letters are typed, arrows move the selection.
public final class FilteredList: View {
    private let list: ListView
    private let prompt: String
    private let hint: String
    private let actionLabel: String?
    /// The completion of the text for Tab; nil if there is none.
    private let completion: (@MainActor (String) -> String?)?
    private let didChange: @MainActor (String) -> Void

    private(set) var filter = "" {
        didSet {
            guard filter != oldValue else { return }
            didChange(filter)
            setNeedsDisplay()
        }
    }

    /// The placeholder of an empty filter.
    public static var filterHint: String { localized("type to filter") }

    /// - Parameters:
    ///   - actionLabel: The footer's label for Enter.
    ///   - completion: The completion of the text for Tab; nil if there is none.
    ///   - didChange: Called with the text after each change.
    public init(
        list: ListView, prompt: String = "/ ", hint: String = FilteredList.filterHint,
        actionLabel: String? = nil,
        completion: (@MainActor (String) -> String?)? = nil,
        didChange: @escaping @MainActor (String) -> Void
    ) {
        self.list = list
        self.prompt = prompt
        self.hint = hint
        self.actionLabel = actionLabel
        self.completion = completion
        self.didChange = didChange
        super.init()
        addSubview(list)
    }

    public override var canBecomeFirstResponder: Bool { true }

    public override var acceptsText: Bool { true }

    public override func layoutSubviews() {
        var area = bounds
        _ = area.takeTop(area.height > 6 ? 2 : 1)
        list.frame = area
    }

    public override func draw(on surface: Surface) {
        let prompt = TextLine(prompt, .accent)
        let words = filter.isEmpty ? TextLine(hint, .secondary) : TextLine(filter)
        surface.draw(prompt + words, at: Point(x: 1, y: 0), columns: bounds.width - 2)
    }

    public override var cursorPosition: Point? {
        Point(x: min(bounds.width - 1, 3 + Surface.columnCount(of: filter)), y: 0)
    }

    public override func keyDown(_ press: KeyPress) -> Bool {
        if let text = press.text {
            filter += text
        } else if press == KeyPress(.backspace) {
            filter = String(filter.dropLast())
        } else {
            return false
        }
        return true
    }

    private func complete() {
        if let completed = completion?(filter) { filter = completed }
    }

    public override func paste(_ text: String) -> Bool {
        filter += text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return true
    }

    public override var keyTable: KeyTable {
        KeyTable {
            KeyCommand.runChosen.performs(
                label: actionLabel,
                unless: list.selectedIndex == nil ? localized("Nothing matches.") : nil
            ) { self.list.activateSelection() }
            if completion != nil {
                KeyCommand.completeField.performs { self.complete() }
            }
            KeyCommand.nextMatch.performs { self.list.move(by: 1) }
            KeyCommand.previousMatch.performs { self.list.move(by: -1) }
            KeyCommand.nextMatchPage.performs { self.list.move(by: self.list.visibleRowCount) }
            KeyCommand.previousMatchPage.performs {
                self.list.move(by: -self.list.visibleRowCount)
            }
            if !filter.isEmpty {
                KeyCommand.clearFilter.performs { self.filter = "" }
                KeyCommand.clearField.performs { self.filter = "" }
            }
        }
    }
}

extension KeyCommand {
    /// The commands of menus with a filter.
    public static let menuCommands: [KeyCommand] = [
        .runChosen, .nextMatch, .previousMatch, .nextMatchPage, .previousMatchPage, .clearFilter,
        .closeMenu,
    ]

    static let runChosen = KeyCommand(
        "menu.run", keys: ["Enter"], title: localized("Run the chosen one"),
        label: localized("run"), weight: 95)
    static let nextMatch = KeyCommand("menu.down", keys: ["Down", "^n"], title: localized("Down"))
    static let previousMatch = KeyCommand("menu.up", keys: ["Up", "^p"], title: localized("Up"))
    static let nextMatchPage = KeyCommand(
        "menu.page-down", keys: ["PgDn"], title: localized("Page down"))
    static let previousMatchPage = KeyCommand(
        "menu.page-up", keys: ["PgUp"], title: localized("Page up"))
    static let clearFilter = KeyCommand(
        "menu.clear", keys: ["Esc", "^u"], title: localized("Clear the filter"),
        label: localized("clear"),
        weight: 92)
}
