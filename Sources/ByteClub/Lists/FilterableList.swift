internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// A list with a live filter below its rows: `/` opens it, Enter keeps it, Esc clears it.
final class FilterableList: View {
    let list = ListView()
    /// Called for a second `/`, if more than names can be searched.
    var didAskForMore: (() -> Void)?
    /// Called when the filter's result changes.
    var filterDidChange: (() -> Void)?

    /// Key bindings that precede those of the list and the filter.
    var urgentEntries: [KeyTable.Entry] = [] {
        didSet { list.urgentEntries = urgentEntries }
    }

    private(set) var filter = NameFilter()
    private let field = TextField()

    override init() {
        super.init()
        addSubview(list)
        addSubview(field)
        field.isHidden = true
        field.didChange = { [weak self] in self?.queryDidChange() }
        field.didSubmit = { [weak self] in self?.keep() }
    }

    override func layoutSubviews() {
        var area = bounds
        if !field.isHidden {
            var row = area.takeBottom(1)
            _ = row.takeLeft(2)
            field.frame = row
        }
        list.frame = area
    }

    override func draw(on surface: Surface) {
        guard !field.isHidden else { return }
        surface.draw("/", at: Point(x: 0, y: field.frame.y), role: .accent)
    }

    override var keyTable: KeyTable {
        KeyTable(localized("Filter")) {
            urgentEntries
            // Also before the first row is there: the words that follow would be commands for the rows that come.
            KeyCommand.filterList.performs(isInFooter: list.rowCount > 0 || !field.isHidden) {
                self.begin()
            }
            if !field.isHidden {
                KeyCommand.clearFilter.performs { self.clear() }
            }
        }
    }

    private func begin() {
        field.isHidden = false
        setNeedsLayout()
        field.becomeFirstResponder()
    }

    private func keep() {
        if field.text.isEmpty { hideField() }
        list.becomeFirstResponder()
    }

    /// Clears the filter and hides its field.
    func clear() {
        field.text = ""
        hideField()
        list.becomeFirstResponder()
        queryDidChange()
    }

    /// Clears a filter that does not let this name pass; the focus stays where it is.
    func reveal(_ name: String) {
        guard filter.isActive, !filter.matches(name) else { return }
        // It may get the focus back when what covers it goes.
        if field.isFirstResponder { list.becomeFirstResponder() }
        field.text = ""
        hideField()
        queryDidChange()
    }

    private func hideField() {
        field.isHidden = true
        setNeedsLayout()
    }

    private func queryDidChange() {
        if field.text == "/", let didAskForMore {
            clear()
            return didAskForMore()
        }
        guard filter.query != field.text else { return }
        filter = NameFilter(query: field.text)
        filterDidChange?()
    }
}

extension KeyCommand {
    static let filterList = KeyCommand(
        "list.filter", keys: ["/"], title: localized("Filter by words in names"),
        label: localized("filter"), weight: 55)
    static let clearFilter = KeyCommand(
        "list.filter.clear", keys: ["Esc"], title: localized("Clear the filter"),
        label: localized("clear filter"),
        weight: 96)
}
