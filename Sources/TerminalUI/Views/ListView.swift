internal import Messages

/// Knows the rows of a list.
///
/// Only rows on the screen are asked for, so a list may have any number of them.
@MainActor
public protocol ListViewDataSource: AnyObject {
    /// How many rows there are. Asked by ``ListView/reloadData()`` only.
    func numberOfRows(in list: ListView) -> Int

    /// How the row looks. Called for the visible rows at each frame: it only assembles.
    func listView(_ list: ListView, rowAt index: Int) -> ListRow

    /// What the row stands for, e.g. a path: the selection follows it when rows come and go.
    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable

    /// Where the row of an identity is now; nil when it is gone. Searched for unless implemented.
    func listView(_ list: ListView, indexOfRowWith identity: AnyHashable) -> Int?
}

extension ListViewDataSource {
    public func listView(_ list: ListView, indexOfRowWith identity: AnyHashable) -> Int? {
        list.search(for: identity)
    }
}

/// Told what the user does with a list.
@MainActor
public protocol ListViewDelegate: AnyObject {
    /// Enter or a second click on the selected row.
    func listView(_ list: ListView, didActivateRowAt index: Int)

    /// Another row, or none, is the selected one now.
    func listViewDidChangeSelection(_ list: ListView)

    /// Other rows, or none, are marked now.
    func listViewDidChangeMarks(_ list: ListView)
}

extension ListViewDelegate {
    public func listView(_ list: ListView, didActivateRowAt index: Int) {}
    public func listViewDidChangeSelection(_ list: ListView) {}
    public func listViewDidChangeMarks(_ list: ListView) {}
}

/// Rows to choose from, with the keys of lists everywhere: `j k g g G ^d ^u`, arrows, wheel, click.
public final class ListView: View {
    /// What the list shows; without one it is empty. Call ``reloadData()`` after setting it.
    public weak var dataSource: (any ListViewDataSource)?
    /// Informed about selections, marks and opened rows.
    public weak var delegate: (any ListViewDelegate)?

    /// How much room a row takes.
    private var metrics = Metrics() {
        didSet { if metrics != oldValue { setNeedsDisplay() } }
    }

    private struct Metrics: Equatable {
        var rowHeight = 1
        var rowSpacing = 0
        var imageSize: Size?
    }

    /// Screen rows that each row takes.
    public var rowHeight: Int {
        get { metrics.rowHeight }
        set { metrics.rowHeight = newValue }
    }

    /// Empty screen rows between the rows.
    public var rowSpacing: Int {
        get { metrics.rowSpacing }
        set { metrics.rowSpacing = newValue }
    }

    /// Screen rows from one row to the next.
    var rowPitch: Int { max(1, rowHeight + rowSpacing) }

    /// The place kept for pictures before the words; nil for none.
    public var imageSize: Size? {
        get { metrics.imageSize }
        set { metrics.imageSize = newValue }
    }

    /// Said in the middle of a list without rows.
    public var emptyText: TextLine = "" {
        didSet { if emptyText != oldValue { setNeedsDisplay() } }
    }

    /// Whether Space marks rows.
    public var allowsMarking = false

    /// Whether a row can be marked; nil for all of them.
    public var isMarkable: (@MainActor (Int) -> Bool)?

    /// The footer's word for Enter; nil when rows cannot be opened.
    public var activationLabel: String? = localized("open")

    /// Come before the list's own: to stop what is under way with the key that clears marks.
    public var urgentEntries: [KeyTable.Entry] = [] {
        didSet { setNeedsDisplay() }
    }

    /// How many rows there are, as of the last ``reloadData()``.
    public private(set) var rowCount = 0
    private var selection = Selection()

    private struct Selection {
        var index: Int?
        var identity: AnyHashable?
    }

    /// The selected row, from 0; nil only in a list without rows, and before the first
    /// ``reloadData()``.
    public private(set) var selectedIndex: Int? {
        get { selection.index }
        set { selection.index = newValue }
    }

    /// What the selected row stands for, by the data source; nil when no row is selected.
    public private(set) var selectedIdentity: AnyHashable? {
        get { selection.identity }
        set { selection.identity = newValue }
    }

    /// The identities of the marked rows.
    public private(set) var marks: Set<AnyHashable> = []

    /// The first visible row.
    public private(set) var firstVisibleIndex = 0

    public override init() { super.init() }

    /// The selected row.
    public override var focusPosition: Point? {
        Point(x: 0, y: ((selectedIndex ?? firstVisibleIndex) - firstVisibleIndex) * rowPitch)
    }

    /// Whether the list can have the keys itself; a list moved by a field beside it cannot.
    public var isFocusable = true

    /// Whether the selection looks as if the list had the keys.
    public var looksFocused = false {
        didSet { if looksFocused != oldValue { setNeedsDisplay() } }
    }

    public override var canBecomeFirstResponder: Bool { isFocusable }

    // MARK: - Rows

    /// Reloads the rows. The selection stays with the selected item, wherever it is now; if it is
    /// gone, its neighbor is selected.
    public func reloadData() {
        rowCount = max(0, dataSource?.numberOfRows(in: self) ?? 0)
        let old = selectedIdentity
        let oldIndex = selectedIndex
        if let old, let index = dataSource?.listView(self, indexOfRowWith: old),
            index >= 0, index < rowCount
        {
            selectedIndex = index
            // The row stays where the eye is.
            firstVisibleIndex += index - (oldIndex ?? index)
        } else if rowCount > 0 {
            selectedIndex = min(oldIndex ?? 0, rowCount - 1)
        } else {
            selectedIndex = nil
        }
        selectedIdentity = selectedIndex.flatMap { identity(at: $0) }
        scrollToSelection()
        setNeedsDisplay()
        if selectedIdentity != old { delegate?.listViewDidChangeSelection(self) }
    }

    /// Selects a row and shows it.
    public func select(_ index: Int) {
        guard rowCount > 0 else { return }
        let index = max(0, min(index, rowCount - 1))
        guard index != selectedIndex else { return }
        selectedIndex = index
        selectedIdentity = identity(at: index)
        scrollToSelection()
        setNeedsDisplay()
        delegate?.listViewDidChangeSelection(self)
    }

    /// Selects the row of an identity. Returns its index, nil when there is none.
    @discardableResult
    public func select(identity: AnyHashable) -> Int? {
        guard let index = dataSource?.listView(self, indexOfRowWith: identity), index < rowCount
        else { return nil }
        select(index)
        return index
    }

    /// Takes the marks away from all rows. The delegate is told if there were any.
    public func clearMarks() {
        guard !marks.isEmpty else { return }
        marks = []
        setNeedsDisplay()
        delegate?.listViewDidChangeMarks(self)
    }

    /// Takes the marks away from rows that are no more, or are not to have one.
    public func retainMarks(where isKept: (AnyHashable) -> Bool) {
        let kept = marks.filter(isKept)
        guard kept.count != marks.count else { return }
        marks = kept
        setNeedsDisplay()
        delegate?.listViewDidChangeMarks(self)
    }

    /// Marks every row; takes all marks away when every row has one.
    public func toggleAllMarks() {
        let all = Set(
            (0..<rowCount).filter { isMarkable?($0) ?? true }.compactMap { identity(at: $0) })
        marks = all.isSubset(of: marks) ? [] : marks.union(all)
        setNeedsDisplay()
        delegate?.listViewDidChangeMarks(self)
    }

    /// Marks what may have no row now.
    public func mark(_ identities: [AnyHashable]) {
        let all = marks.union(identities)
        guard all.count != marks.count else { return }
        marks = all
        setNeedsDisplay()
        delegate?.listViewDidChangeMarks(self)
    }

    /// Marks a row, or takes its mark away.
    public func toggleMark(at index: Int) {
        guard let identity = identity(at: index), isMarkable?(index) ?? true else { return }
        if marks.remove(identity) == nil { marks.insert(identity) }
        setNeedsDisplay()
        delegate?.listViewDidChangeMarks(self)
    }

    func identity(at index: Int) -> AnyHashable? {
        guard index >= 0, index < rowCount else { return nil }
        return dataSource?.listView(self, identityOfRowAt: index)
    }

    /// Looks for a row from the selected one outwards: it is seldom far.
    func search(for identity: AnyHashable) -> Int? {
        let start = min(selectedIndex ?? 0, max(0, rowCount - 1))
        for distance in 0..<max(1, rowCount) {
            let after = start + distance
            if after < rowCount, self.identity(at: after) == identity { return after }
            let before = start - distance
            if before >= 0, self.identity(at: before) == identity { return before }
        }
        return nil
    }

    // MARK: - Scrolling

    /// Whole rows that fit.
    public var visibleRowCount: Int { max(1, (bounds.height + rowSpacing) / rowPitch) }

    private func scrollToSelection() {
        let page = visibleRowCount
        let last = max(0, rowCount - page)
        if let selectedIndex {
            firstVisibleIndex = min(firstVisibleIndex, selectedIndex)
            firstVisibleIndex = max(firstVisibleIndex, selectedIndex - page + 1)
        }
        firstVisibleIndex = max(0, min(firstVisibleIndex, last))
    }

    /// Scrolls without choosing; the selection stays within what is visible.
    private func scroll(by rows: Int) {
        let page = visibleRowCount
        firstVisibleIndex = max(0, min(firstVisibleIndex + rows, max(0, rowCount - page)))
        if let selectedIndex {
            select(
                max(firstVisibleIndex, min(selectedIndex, firstVisibleIndex + page - 1)))
        }
        setNeedsDisplay()
    }

    public override func layoutSubviews() {
        scrollToSelection()
    }

    // MARK: - Keys and mouse

    public override var keyTable: KeyTable {
        let index = selectedIndex
        return KeyTable(localized("List")) {
            urgentEntries
            if let activationLabel {
                KeyCommand.activateRow.performs(
                    label: activationLabel,
                    unless: index == nil ? localized("The list is empty.") : nil
                ) { self.activateSelection() }
            }
            KeyCommand.nextRow.performs { self.move(by: 1) }
            KeyCommand.previousRow.performs { self.move(by: -1) }
            KeyCommand.firstRow.performs { self.select(0) }
            KeyCommand.lastRow.performs { self.select(self.rowCount - 1) }
            KeyCommand.halfPageDown.performs { self.move(by: max(1, self.visibleRowCount / 2)) }
            KeyCommand.halfPageUp.performs { self.move(by: -max(1, self.visibleRowCount / 2)) }
            KeyCommand.pageDown.performs { self.move(by: max(1, self.visibleRowCount - 1)) }
            KeyCommand.pageUp.performs { self.move(by: -max(1, self.visibleRowCount - 1)) }
            if allowsMarking {
                KeyCommand.markRow.performs(
                    unless: index == nil ? localized("The list is empty.") : nil
                ) {
                    self.markSelection()
                }
                KeyCommand.markAllRows.performs(
                    unless: index == nil ? localized("The list is empty.") : nil
                ) {
                    self.toggleAllMarks()
                }
                if !marks.isEmpty {
                    KeyCommand.clearMarks.performs { self.clearMarks() }
                }
            }
        }
    }

    /// Selects the row so many rows further down, or up.
    public func move(by step: Int) {
        select((selectedIndex ?? 0) + step)
    }

    /// Does what Enter does.
    public func activateSelection() {
        guard let selectedIndex else { return }
        delegate?.listView(self, didActivateRowAt: selectedIndex)
    }

    private func markSelection() {
        guard let selectedIndex else { return }
        toggleMark(at: selectedIndex)
        move(by: 1)
    }

    public override func mouse(_ event: MouseEvent) -> Bool {
        switch event.action {
        case .scrollUp: scroll(by: -3)
        case .scrollDown: scroll(by: 3)
        case .press where event.button == .left:
            let index = firstVisibleIndex + event.location.y / rowPitch
            guard index < rowCount else { return true }
            if index == selectedIndex {
                if activationLabel != nil { activateSelection() }
            } else {
                select(index)
            }
        default: return false
        }
        return true
    }

    public override func draw(on surface: Surface) { drawRows(on: surface) }

    public override func focusDidChange() { setNeedsDisplay() }
}

extension KeyCommand {
    /// Opens the selected row, as a second click on it does.
    public static let activateRow = KeyCommand(
        "list.open", keys: ["Enter"], title: localized("Open the selected row"),
        label: localized("open"), weight: 95)
    /// Selects the row below.
    public static let nextRow = KeyCommand(
        "list.down", keys: ["j", "Down"], title: localized("Down"))
    /// Selects the row above.
    public static let previousRow = KeyCommand(
        "list.up", keys: ["k", "Up"], title: localized("Up"))
    /// Selects the first row.
    public static let firstRow = KeyCommand(
        "list.first", keys: ["g g", "Home"], title: localized("First"))
    /// Selects the last row.
    public static let lastRow = KeyCommand(
        "list.last", keys: ["G", "End"], title: localized("Last"))
    /// Selects the row half a screen further down, or the last.
    public static let halfPageDown = KeyCommand(
        "list.half-page-down", keys: ["^d"], title: localized("Half a page down"))
    /// Selects the row half a screen further up, or the first.
    public static let halfPageUp = KeyCommand(
        "list.half-page-up", keys: ["^u"], title: localized("Half a page up"))
    /// Selects the row a screen, but for one row, further down; in an alert, scrolls its message.
    public static let pageDown = KeyCommand(
        "list.page-down", keys: ["PgDn"], title: localized("Page down"))
    /// Selects the row a screen, but for one row, further up; in an alert, scrolls its message.
    public static let pageUp = KeyCommand(
        "list.page-up", keys: ["PgUp"], title: localized("Page up"))
    /// Marks the selected row, or takes its mark away, and goes to the next.
    public static let markRow = KeyCommand(
        "list.mark", keys: ["Space"], title: localized("Mark the row"), label: localized("mark"),
        weight: 40)
    /// Marks all rows, or none if all have a mark.
    public static let markAllRows = KeyCommand(
        "list.mark-all", keys: ["^A"], title: localized("Mark all rows, or none"))
    /// Takes all marks away; only there while rows are marked.
    public static let clearMarks = KeyCommand(
        "list.unmark", keys: ["Esc"], title: localized("Clear the marks"),
        label: localized("unmark"), weight: 98)

    /// The commands of every list.
    public static let listCommands: [KeyCommand] = [
        .activateRow, .nextRow, .previousRow, .firstRow, .lastRow, .halfPageDown, .halfPageUp,
        .pageDown, .pageUp, .markRow, .markAllRows, .clearMarks,
    ]
}
