internal import ClubAccess
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalPictures
internal import TerminalUI

/// What the list, the title and the line below show.
extension PhotoPickerViewController: ListViewDataSource, ListViewDelegate {
    /// Shows the entries that pass the filter.
    ///
    /// - Parameter selectingBest: Whether to select the best match, after typing.
    func showEntries(_ filter: NameFilter, selectingBest: Bool = false) {
        self.filter = filter
        entries = folder.shown(
            by: choices.order, showingHidden: choices.showsHidden, filter)
        let hiddenCount = choices.showsHidden ? 0 : folder.entries.count(where: \.isHidden)
        list.emptyText = TextLine(
            filter.isActive
                ? localized("Nothing here has “\(filter.query)” in its name.")
                : localized("No pictures here.")
                    + (hiddenCount > 0 ? localized(" . shows \(hiddenCount) hidden.") : ""),
            .secondary)
        // The line below shows the reason.
        if folder.problem != nil { list.emptyText = "" }
        pictures.prepareThumbnails(for: entries)
        list.reloadData()
        if let path = pathToSelect, list.select(identity: FileIdentity(path: path)) != nil {
            pathToSelect = nil
        } else if selectingBest, filter.isActive {
            list.select(0)
        } else if list.selectedIndex == 0, entries.first?.kind == .parent, entries.count > 1 {
            // The first photo, not the parent folder.
            list.select(1)
        }
        showTitle()
        didSelect()
    }

    private func showTitle() {
        title = localized("Upload photos · ") + TypedPath.brief(folder.path, home: home)
    }

    /// Shows a message until the next key; if empty, a summary of the choices.
    func showNotice(_ words: TextLine) {
        notice.text = words.isEmpty ? choices.summary(marked: list.marks.count) : words
        view.setNeedsLayout()
    }

    func numberOfRows(in list: ListView) -> Int { entries.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        // A frame begins with its first row.
        if index == list.firstVisibleIndex { pictures.showThumbnails(of: entries) }
        let entry = entries[index]
        let matches = filter.isActive ? filter.matchedRanges(in: entry.name) : []
        switch entry.kind {
        case .parent: return ListRow(TextLine("../", .secondary))
        case .folder: return ListRow(TextLine(entry.name + "/", .accent), matches: matches)
        case .photo: break
        }
        let size = Wording.byteCount(entry.byteCount)
        guard list.rowHeight > 1 else {
            return ListRow(
                TextLine(entry.name), columns: [ListRow.Column(size, width: 7)], matches: matches)
        }
        let age = entry.modified.map { Wording.age(of: $0, at: Date()) }
        let facts = [size, age].compactMap(\.self).map { TextLine($0, .secondary) }
        var row = ListRow(TextLine(entry.name), facts: facts, matches: matches)
        switch pictures.thumbnail(of: entry) {
        case .loaded(let cells): row.image = ImageCells(cells)
        case .unavailable(let reason):
            row.facts.insert(TextLine(reason, .warning), at: 0)
        case .loading, nil: break
        }
        return row
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        FileIdentity(path: entries[index].path)
    }

    func listView(_ list: ListView, didActivateRowAt index: Int) { activate() }

    func listViewDidChangeSelection(_ list: ListView) { didSelect() }

    func listViewDidChangeMarks(_ list: ListView) {
        showNotice("")
        didSelect()
    }

    private func didSelect() {
        let count = list.marks.count
        list.activationLabel =
            selected?.kind == .photo
            ? (count > 1 ? localized("upload \(count)") : localized("upload")) : localized("open")
        showPicture()
    }
}
