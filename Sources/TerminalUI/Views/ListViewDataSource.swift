/// Provides the rows of a list.
///
/// Only visible rows are requested, so a list may have any number of them.
@MainActor
public protocol ListViewDataSource: AnyObject {
    /// The number of rows. Called only by ``ListView/reloadData()``.
    func numberOfRows(in list: ListView) -> Int

    /// The contents of a row. Called for the visible rows in each frame: it must be fast.
    func listView(_ list: ListView, rowAt index: Int) -> ListRow

    /// The identity of a row, e.g. a path: the selection follows it when rows change.
    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable

    /// The index of the row with an identity; nil if there is none. Searches the rows unless implemented.
    func listView(_ list: ListView, indexOfRowWith identity: AnyHashable) -> Int?
}

extension ListViewDataSource {
    public func listView(_ list: ListView, indexOfRowWith identity: AnyHashable) -> Int? {
        list.search(for: identity)
    }
}

/// Receives the user's actions in a list.
@MainActor
public protocol ListViewDelegate: AnyObject {
    /// Enter or a second click on the selected row.
    func listView(_ list: ListView, didActivateRowAt index: Int)

    /// The selection has changed.
    func listViewDidChangeSelection(_ list: ListView)

    /// The marks have changed.
    func listViewDidChangeMarks(_ list: ListView)
}

extension ListViewDelegate {
    public func listView(_ list: ListView, didActivateRowAt index: Int) {}
    public func listViewDidChangeSelection(_ list: ListView) {}
    public func listViewDidChangeMarks(_ list: ListView) {}
}
