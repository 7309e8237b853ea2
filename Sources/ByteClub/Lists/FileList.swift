internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import Messages
internal import TerminalUI

/// Told what happens in a tab's list, and asked how its rows look.
@MainActor protocol FileListDelegate: AnyObject {
    /// The row of a file. Called for the visible rows at each frame: it only assembles.
    func fileList(_ list: FileList, rowFor file: RemoteFile) -> ListRow

    /// Enter, or a second click.
    func fileList(_ list: FileList, didActivate file: RemoteFile)

    /// Another row is the selected one, or there are others.
    func fileListDidChangeSelection(_ list: FileList)

    /// The list is about to be fetched again because the person wants it.
    func fileListWillRefresh(_ list: FileList)

    /// What a club without such files says: what to press to make one.
    var emptyListText: String { get }
}

extension FileListDelegate {
    func fileListWillRefresh(_ list: FileList) {}
}

/// The list of one tab: sorted, narrowed by a filter, with marks and with what is unread pointed out.
///
/// Both tabs are this one, with rows of their own. A large club is sorted and filtered off the main actor;
/// the rows shown stay until the new ones are there.
@MainActor final class FileList {
    let kind: FileKind
    let view = FilterableList()
    var list: ListView { view.list }
    private(set) lazy var panel = Panel(TextLine(kind.tabTitle), content: view)
    weak var delegate: (any FileListDelegate)?

    let club: Club
    let memory: ListMemory
    /// Presents boxes, and counts work that is under way.
    private(set) weak var owner: ViewController?

    /// Shows what is on its way; set where there is something to show.
    var showTransfers: (() -> Void)?
    /// Shows what was deleted.
    var showTrash: (() -> Void)?

    private(set) var folder = RemotePath.root
    private(set) var arrangement = FileArrangement.empty
    /// Nil while there is no filter.
    private(set) var filtered: FilteredRows?
    /// Selected as soon as it is there.
    var pathToSelect: RemotePath?

    private var work = Work()
    /// What goes on with several files, one after the other.
    var batch: Task<Void, Never>? {
        didSet { view.urgentEntries = batch == nil ? [] : [stopEntry] }
    }
    /// What is known of deletions beside what is on record.
    var deletions = Deletions()
    /// When the words for the ages of what is shown become others.
    private var ageChange: (timer: ScheduledAction, due: Date)?
    /// What the person waits to hear of; see ``refresh()``.
    var awaitedRefresh: AwaitedRefresh?
    /// What the clock says; a test has its own.
    var now: () -> Date = { Date() }

    struct Deletions {
        /// What was deleted together, where the club could not say whether it has kept all of it.
        var uncertainGroup: UUID?
        /// What of the trash could not be brought back in this run.
        var lost: Set<TrashItem> = []
    }

    /// What is under way beside the main actor.
    private struct Work {
        var arranging: Task<Void, Never>?
        /// Whether the club has changed since that began.
        var needsArranging = false
        var filtering: Task<Void, Never>?
        /// Whether what fits best is to be selected as soon as it is known: something was typed.
        var selectsBest = false
    }

    /// So many entries are sorted and filtered at once, in much less than a frame.
    private static let immediateLimit = 1_000

    init(_ kind: FileKind, of club: Club, memory: ListMemory, owner: ViewController) {
        self.kind = kind
        self.club = club
        self.memory = memory
        self.owner = owner
    }

    /// Begins to follow the club.
    func start() {
        list.dataSource = self
        list.delegate = self
        list.allowsMarking = true
        memory.didLoad.append { [weak self] in self?.reload() }
        view.filterDidChange = { [weak self] in self?.filterDidChange() }
        club.addObserver(self)
    }

    /// Gives up what is under way: the club is left.
    func stop() {
        batch?.cancel()
        work.arranging?.cancel()
        work.filtering?.cancel()
        ageChange?.timer.cancel()
    }

    var sort: ListSort { memory.sort(of: kind) }

    /// How many rows pass the filter.
    var rowCount: Int { filtered?.positions.count ?? arrangement.entries.count }

    func entry(at row: Int) -> FileEntry? {
        guard row >= 0, row < rowCount else { return nil }
        return arrangement.entries[filtered?.positions[row] ?? row]
    }

    var selectedEntry: FileEntry? { list.selectedIndex.flatMap(entry(at:)) }

    /// The file of the selected row; nil for a folder.
    var selected: RemoteFile? { selectedEntry?.file }

    /// The marked entries in the list's order.
    var markedEntries: [FileEntry] {
        list.marks.compactMap { ($0.base as? RemotePath).flatMap(arrangement.position(of:)) }
            .sorted().map { arrangement.entries[$0] }
    }

    /// What a command is about: all that is marked, else what is selected.
    var targets: [FileEntry] {
        let marked = markedEntries
        return marked.isEmpty ? selectedEntry.map { [$0] } ?? [] : marked
    }

    /// The files shown, in order: what a viewer goes through.
    var shownFiles: [RemoteFile] { (0..<rowCount).compactMap { entry(at: $0)?.file } }
}

// MARK: - From the club to rows

extension FileList: ClubObserver {
    func clubDidChange(_ club: Club) {
        reload()
        finishRefresh()
    }

    /// Shows what the club has now.
    func reload() {
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
        FileArrangement.Request(kind: kind, folder: folder, sort: sort)
    }

    private func arrange() async {
        while work.needsArranging, !Task.isCancelled {
            work.needsArranging = false
            let filter = view.filter
            let made = await FileArrangement.make(club.contents, request, memory.seen)
            let rows = filter.isActive ? await made.rowsInBackground(filter, among: nil) : nil
            if !Task.isCancelled { show(made, rows) }
        }
        work.arranging = nil
    }

    /// - Parameter rows: What passes the filter, where that is known already.
    private func show(_ arrangement: FileArrangement, _ rows: FilteredRows? = nil) {
        // Its rows would be places in the arrangement of before.
        work.filtering?.cancel()
        work.filtering = nil
        self.arrangement = arrangement
        // The rows of before are places in another order.
        filtered = rows
        if let rows, rows.filter == view.filter { display() } else { showFiltered() }
    }

    private func filterDidChange() {
        work.selectsBest = view.filter.isActive
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
        guard arrangement.entries.count > Self.immediateLimit else {
            filtered = arrangement.rows(filter, among: filtered)
            return display()
        }
        // The rows of before stay until the new ones are there.
        work.filtering = owner?.startPending { [weak self, arrangement, filtered] in
            let rows = await arrangement.rowsInBackground(filter, among: filtered)
            guard !Task.isCancelled, let self else { return }
            work.filtering = nil
            self.filtered = rows
            display()
        }
    }

    private func display() {
        list.emptyText = emptyText
        list.reloadData()
        list.retainMarks { identity in
            (identity.base as? RemotePath).flatMap { arrangement.position(of: $0) } != nil
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
                localized("No \(kind.singular) has “\(filtered.filter.query)” in its name."),
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
        let count = arrangement.entries.count
        parts.append(
            TextLine(
                filtered == nil ? "\(count)" : localized("\(rowCount) of \(count)"), .secondary))
        parts.append(TextLine(sort.title, .secondary))
        // With many marks in a narrow list, how many they are is what counts.
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
    /// Shows another folder of the notes.
    func enter(_ folder: RemotePath, selecting path: RemotePath? = nil) {
        self.folder = folder
        pathToSelect = path
        list.clearMarks()
        view.clear()
        reload()
        if path == nil { list.select(0) }
    }

    /// Goes back to the folder that this one lies in.
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
            if arrangement.unreadCount > 0 {
                let isUnread = memory.seen.isUnread(file)
                row.symbol = TextLine(isUnread ? "•" : " ", .accent)
            }
        case .folder(let path, let fileCount):
            row = ListRow(
                TextLine(path.name + "/", .accent),
                columns: [ListRow.Column(kind.count(fileCount), width: 10)])
        }
        if let filtered { row.matches = filtered.filter.matchedRanges(in: entry.name) }
        return row
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable {
        entry(at: index)?.path ?? .root
    }

    func listView(_ list: ListView, indexOfRowWith identity: AnyHashable) -> Int? {
        guard let path = identity.base as? RemotePath,
            let position = arrangement.position(of: path)
        else { return nil }
        return filtered.map { $0.positions.firstIndex(of: position) } ?? position
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

    func listViewDidChangeMarks(_ list: ListView) { showTitle() }

    /// The age of a file, as of now: the list draws itself again when the words become others.
    func age(of file: RemoteFile) -> String { Wording.age(of: file.modified, at: now()) }

    private func noteAge(of date: Date) {
        let now = now()
        guard let change = Wording.nextAgeChange(of: date, at: now) else { return }
        // All that changes within a second changes in one frame.
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
    /// Notes that the person has seen files as they are now.
    func see(_ files: [RemoteFile]) {
        let unread = files.filter(memory.seen.isUnread)
        guard !unread.isEmpty else { return }
        memory.see(unread)
        reload()
    }

    /// Takes all that the club has as seen.
    func seeAll() {
        _ = owner?.startPending { [self] in await memory.seeAll(club.contents) }
    }
}
