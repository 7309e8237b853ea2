internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

// How the rows look, and what keys on them do.

extension FileList: ListViewDataSource, ListViewDelegate {
    func numberOfRows(in list: ListView) -> Int { rowCount }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        guard let entry = entry(at: index) else { return ListRow("") }
        var row: ListRow
        switch entry {
        case .file(let file):
            row = delegate?.fileList(self, rowFor: file) ?? ListRow(TextLine(file.name))
            noteAge(of: file.modified)
        case .folder(let path, let fileCount):
            row = ListRow(
                TextLine(path.name + "/", .accent),
                columns: [ListRow.Column(kind.count(fileCount), width: 10)])
        }
        if arrangement.unreadCount > 0 {
            let isUnread = arrangement.isUnread(entry, memory.seen)
            row.symbol = TextLine(isUnread ? "•" : " ", .accent)
        }
        if let filtered {
            row.matches = filtered.filter.matchedRanges(in: entry.name)
            row.title = row.title + place(of: entry)
        }
        return row
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        entry(at: index)?.path ?? .root
    }

    func listView(_ list: ListView, indexOfRowWith identity: AnyHashable) -> Int? {
        guard let path = identity.base as? RemotePath,
            let position = arrangement.position(of: path)
        else { return nil }
        guard let filtered else { return position < arrangement.entries.count ? position : nil }
        return filtered.positions.firstIndex(of: position)
    }

    /// The folders between the one shown and an entry that a filter has found.
    private func place(of entry: FileEntry) -> TextLine {
        guard kind == .notes, let parent = entry.path.parent, parent != folder else { return "" }
        let between = parent.components.dropFirst(folder.components.count)
        return TextLine("  " + between.joined(separator: "/") + "/", .secondary)
    }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        switch entry(at: index) {
        case .file(let file): delegate?.fileList(self, didActivate: file)
        case .folder(let path, _): enter(path)
        case nil: break
        }
    }

    func listViewDidChangeSelection(_ list: ListView) {
        delegate?.fileListDidChangeSelection(self)
    }

    func listViewDidChangeMarks(_ list: ListView) {
        // Each mark is looked up.
        if !list.marks.isEmpty { arrangement.makeIndex() }
        showTitle()
    }

    /// The current age of a file; the list is redrawn when the text changes.
    func age(of file: RemoteFile) -> String { Wording.age(of: file.modified, at: now()) }

    private func noteAge(of date: Date) {
        let now = now()
        guard let change = Wording.nextAgeChange(of: date, at: now) else { return }
        // All changes within a second share one frame.
        let due = now.addingTimeInterval(change.rounded(.up))
        if let ageChange, ageChange.due <= due { return }
        guard let scheduler = list.application?.scheduler else { return }
        ageChange?.timer.cancel()
        let timer = scheduler.schedule(after: .seconds(change.rounded(.up))) { [weak self] in
            self?.ageChange = nil
            self?.list.setNeedsDisplay()
        }
        ageChange = (timer, due)
    }
}
