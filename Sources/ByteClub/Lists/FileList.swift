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

    var folder = RemotePath.root
    var arrangement = FileArrangement.empty
    /// Nil while there is no filter.
    var filtered: FilteredRows?
    /// The row to select as soon as it exists.
    var pathToSelect: RemotePath?

    var work = Work()
    /// The running operation on several files, which handles them one by one.
    var batch: Task<Void, Never>? {
        didSet { view.urgentEntries = batch == nil ? [] : [stopEntry] }
    }
    /// Pending and recent deletions that are not recorded yet.
    var deletions = Deletions()
    /// When the displayed ages change next.
    var ageChange: (timer: ScheduledAction, due: Date)?
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
