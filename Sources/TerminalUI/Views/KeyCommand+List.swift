internal import ByteClubMessages

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
    /// Moves the selection one screen down, with one row of overlap; in an alert, scrolls its message.
    public static let pageDown = KeyCommand(
        "list.page-down", keys: ["PgDn"], title: localized("Page down"))
    /// Moves the selection one screen up, with one row of overlap; in an alert, scrolls its message.
    public static let pageUp = KeyCommand(
        "list.page-up", keys: ["PgUp"], title: localized("Page up"))
    /// Marks or unmarks the selected row and goes to the next.
    public static let markRow = KeyCommand(
        "list.mark", keys: ["Space"], title: localized("Mark the row"), label: localized("mark"),
        weight: 40)
    /// Marks all rows, or none if all are marked.
    public static let markAllRows = KeyCommand(
        "list.mark-all", keys: ["^A"], title: localized("Mark all rows, or none"))
    /// Removes all marks; only available while rows are marked.
    public static let clearMarks = KeyCommand(
        "list.unmark", keys: ["Esc"], title: localized("Clear the marks"),
        label: localized("unmark"), weight: 98)

    /// The commands of every list.
    public static let listCommands: [KeyCommand] = [
        .activateRow, .nextRow, .previousRow, .firstRow, .lastRow, .halfPageDown, .halfPageUp,
        .pageDown, .pageUp, .markRow, .markAllRows, .clearMarks,
    ]
}
