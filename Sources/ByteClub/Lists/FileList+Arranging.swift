internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

// From the club to rows: sorting, and the filter, off the main actor where there are many.

extension FileList: ClubObserver {
    /// Up to this many entries are sorted and filtered synchronously, in much less than a frame.
    private static let immediateLimit = 1_000

    func clubDidChange(_ club: Club) {
        reload()
        finishRefresh()
    }

    /// Shows the club's current contents.
    func reload() {
        // The first rows of the last run stay until there are others.
        if arrangement.isBeginning, club.isReadingLocalCopy, !view.filter.isActive { return }
        while !club.contents.hasFolder(folder) { folder = folder.parent ?? .root }
        guard club.contents.fileCount > Self.immediateLimit else {
            work.arranging?.cancel()
            work.needsArranging = false
            return show(FileArrangement(club.contents, request, memory.seen))
        }
        work.needsArranging = true
        guard work.arranging == nil else { return }
        work.arranging = owner?.startPending { [weak self] in await self?.arrange() }
    }

    private var request: FileArrangement.Request {
        FileArrangement.Request(
            kind: kind, folder: folder, sort: sort, reachesBelow: view.filter.isActive)
    }

    private func arrange() async {
        while work.needsArranging, !Task.isCancelled {
            work.needsArranging = false
            if arrangement.count == 0 || arrangement.isBeginning, !view.filter.isActive {
                await showFirst()
                continue
            }
            let filter = view.filter
            let made = await FileArrangement.make(club.contents, request, memory.seen)
            let rows = filter.isActive ? await made.rowsInBackground(filter, among: nil) : nil
            if !Task.isCancelled { show(made, rows) }
        }
        work.arranging = nil
        // It was cancelled while the club was small for a moment.
        if work.needsArranging { reload() }
    }

    /// Shows rows where there are none, and prepares them for a filter afterwards.
    private func showFirst() async {
        let first = await FileArrangement.makeRows(club.contents, request, memory.seen)
        guard !Task.isCancelled else { return }
        show(first)
        let indexed = await first.indexed()
        // The rows on the screen are still the first ones, even if the next are due.
        if !Task.isCancelled { arrangement = indexed }
    }

    /// Shows the first rows of the last run, while the club's own are read.
    func showFirstRowsOfLastRun() async {
        guard let first = await memory.firstRows.read(), arrangement.count == 0,
            club.isReadingLocalCopy, folder.isRoot, !view.filter.isActive
        else { return }
        show(FileArrangement(first))
    }

    /// Keeps the first rows of a large list for the next start; a small one needs none.
    private func keepFirstRows() {
        guard kind == .notes, folder.isRoot, club.known.isListed, !arrangement.isBeginning,
            !arrangement.reachesBelow
        else { return }
        let isLarge = arrangement.entries.count > Self.immediateLimit
        memory.firstRows.keep(isLarge ? FirstRows(of: arrangement) : nil)
    }

    /// - Parameter rows: The rows that pass the filter, if already known.
    private func show(_ arrangement: FileArrangement, _ rows: FilteredRows? = nil) {
        // Its positions refer to the previous arrangement.
        work.filtering?.cancel()
        work.filtering = nil
        self.arrangement = arrangement
        keepFirstRows()
        // The old positions refer to the previous order.
        filtered = rows
        if let rows, rows.filter == view.filter { display() } else { showFiltered() }
    }

    func filterDidChange() {
        work.selectsBest = view.filter.isActive
        // Folders are the first rows. Without a filter what is in them is not sorted.
        let hasFolders = arrangement.entries.first?.isFolder == true
        if view.filter.isActive, hasFolders, !arrangement.reachesBelow { return reload() }
        // Among the first rows of the last run nothing is looked for.
        if arrangement.isBeginning { return reload() }
        showFiltered()
    }

    private func showFiltered() {
        work.filtering?.cancel()
        work.filtering = nil
        let filter = view.filter
        guard filter.isActive else {
            filtered = nil
            return display()
        }
        guard arrangement.count > Self.immediateLimit else {
            filtered = arrangement.rows(filter, among: filtered)
            return display()
        }
        // The old rows stay until the new ones are ready.
        work.filtering = owner?.startPending { [weak self, arrangement, filtered] in
            let rows = await arrangement.rowsInBackground(filter, among: filtered)
            guard !Task.isCancelled, let self else { return }
            work.filtering = nil
            self.filtered = rows
            display()
        }
    }

    private func display() {
        if !list.marks.isEmpty { arrangement.makeIndex() }
        list.emptyText = emptyText
        list.reloadData()
        // Without its filter a note in a folder below is not in sight: no command may be about it unseen.
        let end = view.filter.isActive ? arrangement.count : arrangement.entries.count
        list.retainMarks { identity in
            (identity.base as? RemotePath).flatMap { arrangement.position(of: $0) }
                .map { $0 < end } == true
        }
        if let path = pathToSelect, list.select(identity: path) != nil { pathToSelect = nil }
        if work.selectsBest, filtered?.filter == view.filter {
            work.selectsBest = false
            list.select(0)
        }
        showTitle()
        delegate?.fileListDidChangeSelection(self)
    }

    private var emptyText: TextLine {
        if let filtered, !arrangement.entries.isEmpty {
            return TextLine(
                folder.isRoot
                    ? localized("No \(kind.singular) has “\(filtered.filter.query)” in its name.")
                    : localized(
                        "No \(kind.singular) of this folder has “\(filtered.filter.query)” in its name."
                    ),
                .secondary)
        }
        switch club.connection {
        case .connecting: return TextLine(localized("Opening the club…"), .secondary)
        case .connected where !folder.isRoot:
            return TextLine(localized("This folder is empty."), .secondary)
        case .connected: return TextLine(delegate?.emptyListText ?? "", .secondary)
        case .failed(let error): return TextLine(club.sentence(for: error).text, .warning)
        }
    }
}
