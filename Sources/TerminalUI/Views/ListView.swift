internal import ByteClubMessages

/// A list of rows, with the usual keys: `j k g g G ^d ^u`, arrows, wheel, click.
public final class ListView: View {
    /// The data source; without one the list is empty. Call ``reloadData()`` after setting it.
    public weak var dataSource: (any ListViewDataSource)?
    /// Receives changes of the selection and marks, and opened rows.
    public weak var delegate: (any ListViewDelegate)?

    /// The size of a row.
    private var metrics = Metrics() {
        didSet {
            guard metrics != oldValue else { return }
            setNeedsDisplay()
            setNeedsLayout()  // the selection stays in sight
        }
    }

    private struct Metrics: Equatable {
        var rowHeight = 1
        var rowSpacing = 0
        var imageSize: Size?
    }

    /// The height of a row in screen rows.
    public var rowHeight: Int {
        get { metrics.rowHeight }
        set { metrics.rowHeight = newValue }
    }

    /// The empty screen rows between rows.
    public var rowSpacing: Int {
        get { metrics.rowSpacing }
        set { metrics.rowSpacing = newValue }
    }

    /// The distance from one row to the next in screen rows.
    var rowPitch: Int { max(1, rowHeight + rowSpacing) }

    /// The size reserved for pictures before the text; nil for none.
    public var imageSize: Size? {
        get { metrics.imageSize }
        set { metrics.imageSize = newValue }
    }

    /// Shown in the middle of an empty list.
    public var emptyText: TextLine = "" {
        didSet { if emptyText != oldValue { setNeedsDisplay() } }
    }

    /// Whether Space marks rows.
    public var allowsMarking = false

    /// Whether a row can be marked; nil for all of them.
    public var isMarkable: (@MainActor (Int) -> Bool)?

    /// Whether a row is among those that ``toggleAllMarks()`` marks; nil for all of them.
    public var isMarkedWithOthers: (@MainActor (Int) -> Bool)?

    /// The footer's label for Enter; nil if rows cannot be opened.
    public var activationLabel: String? = localized("open")

    /// Entries that precede the list's own: to stop pending work with the key that clears marks.
    public var urgentEntries: [KeyTable.Entry] = [] {
        didSet { setNeedsDisplay() }
    }

    /// The number of rows as of the last ``reloadData()``.
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

    /// The identity of the selected row; nil if no row is selected.
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

    /// Whether the list can get the focus; false if a field beside it controls it.
    public var isFocusable = true

    /// Whether the selection is drawn as if the list had the focus.
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
            // The selected row keeps its position on the screen.
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

    /// The element that the selected row shows; nil without a selection.
    ///
    /// - Parameter elements: Of all rows, in their order.
    public func selectedElement<Element>(of elements: [Element]) -> Element? {
        selectedIndex.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
    }

    /// Removes all marks. Notifies the delegate if there were any.
    public func clearMarks() {
        guard !marks.isEmpty else { return }
        marks = []
        setNeedsDisplay()
        delegate?.listViewDidChangeMarks(self)
    }

    /// Removes marks from rows that no longer exist, or should not be marked.
    public func retainMarks(where isKept: (AnyHashable) -> Bool) {
        let kept = marks.filter(isKept)
        guard kept.count != marks.count else { return }
        marks = kept
        setNeedsDisplay()
        delegate?.listViewDidChangeMarks(self)
    }

    /// Marks all rows, or those that ``isMarkedWithOthers`` names where there are any; removes all marks if these rows are
    /// marked.
    public func toggleAllMarks() {
        let markable = (0..<rowCount).filter { isMarkable?($0) ?? true }
        let usual = markable.filter { isMarkedWithOthers?($0) ?? true }
        let all = Set((usual.isEmpty ? markable : usual).compactMap { identity(at: $0) })
        marks = all.isSubset(of: marks) ? [] : marks.union(all)
        setNeedsDisplay()
        delegate?.listViewDidChangeMarks(self)
    }

    /// Marks identities, which need not have a row now.
    public func mark(_ identities: [AnyHashable]) {
        let all = marks.union(identities)
        guard all.count != marks.count else { return }
        marks = all
        setNeedsDisplay()
        delegate?.listViewDidChangeMarks(self)
    }

    /// Marks or unmarks a row.
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

    /// Searches outward from the selected row: it is usually near.
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

    /// The number of rows that fit completely.
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

    /// Scrolls; the selection stays within the visible rows.
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

    /// Moves the selection by a number of rows.
    public func move(by step: Int) {
        select((selectedIndex ?? 0) + step)
    }

    /// Opens the selected row, like Enter.
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
