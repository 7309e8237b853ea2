internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// Told what happens in a tab's list, and asked how its rows look.
@MainActor protocol FileListDelegate: AnyObject {
    /// The row of a file. Called for the visible rows at each frame: it only assembles.
    func fileList(_ list: FileList, rowFor file: RemoteFile) -> ListRow

    /// Enter, or a double click.
    func fileList(_ list: FileList, didActivate file: RemoteFile)

    /// The selection or the rows have changed.
    func fileListDidChangeSelection(_ list: FileList)

    /// The user has asked to fetch the list again.
    func fileListWillRefresh(_ list: FileList)

    /// What to know before files are deleted, as a sentence after a space; empty for nothing.
    func fileList(_ list: FileList, warningBeforeDeleting files: [FileEntry]) -> String

    /// The text of an empty list: which key creates a file.
    var emptyListText: String { get }
}

extension FileListDelegate {
    func fileListWillRefresh(_ list: FileList) {}
    func fileList(_ list: FileList, warningBeforeDeleting files: [FileEntry]) -> String { "" }
}

/// The list of one tab: sorted and filtered, with marks and unread files.
///
/// Both tabs use it, with their own rows. A large club is sorted and filtered off the main actor; the old
/// rows stay until the new ones are ready.
@MainActor final class FileList {
    let kind: FileKind
    let view = FilterableList()
    var list: ListView { view.list }
    private(set) lazy var panel = Panel(TextLine(kind.tabTitle), content: view)
    weak var delegate: (any FileListDelegate)?

    let club: Club
    let memory: ListMemory
    /// Presents dialogs and counts pending work.
    private(set) weak var owner: ViewController?

    /// Shows the active transfers; set if there are any to show.
    var showTransfers: (() -> Void)?
    /// Shows the trash.
    var showTrash: (() -> Void)?

    private(set) var folder = RemotePath.root
    private(set) var arrangement = FileArrangement.empty
    /// Nil while there is no filter.
    private(set) var filtered: FilteredRows?
    /// The row to select as soon as it exists.
    var pathToSelect: RemotePath?

    private(set) var work = Work()
    /// The running operation on several files, which handles them one by one.
    var batch: Task<Void, Never>? {
        didSet { view.urgentEntries = batch == nil ? [] : [stopEntry] }
    }
    /// Pending and recent deletions that are not recorded yet.
    var deletions = Deletions()
    /// When the displayed ages change next.
    private var ageChange: (timer: ScheduledAction, due: Date)?
    /// The refresh whose result the user waits for; see ``refresh()``.
    var awaitedRefresh: AwaitedRefresh?
    /// The current time; replaced in tests.
    var now: () -> Date = { Date() }

    struct Deletions {
        /// A group of deletions for which the club could not say whether it kept all files.
        var uncertainGroup: UUID?
        /// Items of the trash that could not be restored in this run.
        var lost: Set<TrashItem> = []
    }

    /// Pending work off the main actor.
    struct Work {
        var arranging: Task<Void, Never>?
        /// Whether the club has changed since the arrangement began.
        var needsArranging = false
        var filtering: Task<Void, Never>?
        /// Whether to select the best match as soon as it is known, after typing.
        var selectsBest = false
    }

    /// Up to this many entries are sorted and filtered synchronously, in much less than a frame.
    private static let immediateLimit = 1_000

    init(_ kind: FileKind, of club: Club, memory: ListMemory, owner: ViewController) {
        self.kind = kind
        self.club = club
        self.memory = memory
        self.owner = owner
    }

    /// Starts following the club.
    func start() {
        list.dataSource = self
        list.delegate = self
        list.allowsMarking = true
        // Most commands are about files; a folder among the marks would stop them.
        list.isMarkedWithOthers = { [weak self] in self?.entry(at: $0)?.isFolder == false }
        memory.didLoad.append { [weak self] in self?.reload() }
        view.filterDidChange = { [weak self] in self?.filterDidChange() }
        club.addObserver(self)
        if kind == .notes {
            _ = owner?.startPending { [weak self] in await self?.showFirstRowsOfLastRun() }
        }
    }

    /// Cancels pending work: the session ends.
    func stop() {
        batch?.cancel()
        work.needsArranging = false
        work.arranging?.cancel()
        work.filtering?.cancel()
        ageChange?.timer.cancel()
    }

    var sort: ListSort { memory.sort(of: kind) }

    /// The number of rows that pass the filter.
    var rowCount: Int { filtered?.positions.count ?? arrangement.entries.count }

    func entry(at row: Int) -> FileEntry? {
        guard row >= 0, row < rowCount else { return nil }
        return arrangement[filtered?.positions[row] ?? row]
    }

    var selectedEntry: FileEntry? { list.selectedIndex.flatMap(entry(at:)) }

    /// The file of the selected row; nil for a folder.
    var selected: RemoteFile? { selectedEntry?.file }

    /// The marked entries in the list's order.
    var markedEntries: [FileEntry] {
        list.marks.compactMap { ($0.base as? RemotePath).flatMap(arrangement.position(of:)) }
            .sorted().map { arrangement[$0] }
    }

    /// The entries a command applies to: the marked ones, else the selected one.
    var targets: [FileEntry] {
        let marked = markedEntries
        return marked.isEmpty ? selectedEntry.map { [$0] } ?? [] : marked
    }

    /// The displayed files in order, for paging through a viewer.
    var shownFiles: [RemoteFile] { (0..<rowCount).compactMap { entry(at: $0)?.file } }
}

// MARK: - From the club to rows

extension FileList: ClubObserver {
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
        guard let first = await memory.readFirstRows(), arrangement.count == 0,
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
        memory.keep(isLarge ? FirstRows(of: arrangement) : nil)
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

    private func filterDidChange() {
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

// MARK: - The frame

extension FileList {
    /// `Notes / drafts` at the left; marks, unread, count and order at the right.
    func showTitle() {
        let path = folder.components.reduce(into: kind.tabTitle) { $0 += " / " + $1 }
        panel.title = TextLine(path)
        var parts: [TextLine] = []
        if !list.marks.isEmpty {
            parts.append(TextLine(localized("\(list.marks.count) marked"), .marked))
        }
        if arrangement.unreadCount > 0 {
            parts.append(TextLine(localized("\(arrangement.unreadCount) new"), .accent))
        }
        let count = filtered == nil ? arrangement.rowCount : arrangement.count
        parts.append(
            TextLine(
                filtered == nil ? "\(count)" : localized("\(rowCount) of \(count)"), .secondary))
        parts.append(TextLine(arrangement.sort.title, .secondary))
        // With many marks in a narrow list, their number matters most.
        let titles = (1...parts.count).reversed().map { count in
            parts[1..<count].reduce(parts[0]) { $0 + TextLine(" · ", .secondary) + $1 }
        }
        panel.trailingTitle = titles[0]
        panel.shorterTrailingTitles = list.marks.isEmpty ? [] : Array(titles.dropFirst())
    }

    func cycleSort() {
        memory.setSort(sort.next, of: kind)
        reload()
    }
}

// MARK: - Folders

extension FileList {
    /// Shows another folder of the notes tab.
    func enter(_ folder: RemotePath, selecting path: RemotePath? = nil) {
        self.folder = folder
        pathToSelect = path
        list.clearMarks()
        view.clear()
        reload()
        if path == nil { list.select(0) }
    }

    /// Selects a file once it is listed; a filter does not hide it.
    func reveal(_ path: RemotePath) {
        pathToSelect = path
        view.reveal(path.name)
    }

    /// Goes to the parent folder.
    func leaveFolder() {
        guard let parent = folder.parent else { return }
        enter(parent, selecting: folder)
    }
}

// MARK: - Rows

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

// MARK: - What is unread

extension FileList {
    /// Marks the current states of files as seen.
    func see(_ files: [RemoteFile]) {
        let unread = files.filter(memory.seen.isUnread)
        guard !unread.isEmpty else { return }
        memory.see(unread)
        reload()
    }

    /// Marks the whole club as seen.
    func seeAll() {
        _ = owner?.startPending { [self] in await memory.seeAll(club.contents) }
    }
}
