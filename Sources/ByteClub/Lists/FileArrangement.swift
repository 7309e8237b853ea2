package import ClubAccess
package import ClubStore

/// The rows of a list in order, computed once for each change of the club. A value type, so that large lists
/// are computed off the main actor.
package struct FileArrangement: Sendable {
    /// The contents and options of a list.
    package struct Request: Hashable, Sendable {
        package var kind: FileKind
        package var folder: RemotePath
        package var sort: ListSort
        /// Whether a filter looks into the folders below, too.
        package var reachesBelow: Bool

        package init(
            kind: FileKind, folder: RemotePath = .root, sort: ListSort = .name,
            reachesBelow: Bool = false
        ) {
            self.kind = kind
            self.folder = folder
            self.sort = sort
            self.reachesBelow = reachesBelow
        }
    }

    /// Folders first, then the files.
    package let entries: SortedEntries
    /// The files in the folders below, which only a filter shows. Their positions follow those of ``entries``.
    private let deeper: SortedEntries
    /// Whether the files in the folders below are among its positions.
    package let reachesBelow: Bool
    package let sort: ListSort
    /// The number of rows without a filter: those of ``entries``, or more when they are only the first.
    package let rowCount: Int
    private var unread: UnreadFiles
    /// Nil for rows that are only shown: a filter takes as long to prepare as they take to be sorted.
    private var index: NameIndex?

    package static let empty = FileArrangement(
        ClubContents(), Request(kind: .notes), UnreadMarks())

    package init(_ contents: ClubContents, _ request: Request, _ seen: UnreadMarks) {
        self.init(
            contents, request, unread: UnreadFiles(contents, request.kind, in: request.folder, seen)
        )
        makeIndex()
    }

    private init(_ contents: ClubContents, _ request: Request, unread: UnreadFiles) {
        let (kind, folder) = (request.kind, request.folder)
        entries = SortedEntries(contents.entries(of: kind, in: folder), by: request.sort)
        deeper = SortedEntries(
            request.reachesBelow ? contents.entries(of: kind, below: folder) : [], by: request.sort)
        reachesBelow = request.reachesBelow
        sort = request.sort
        rowCount = entries.count
        self.unread = unread
    }

    /// The rows of the last run, until the club's are known.
    package init(_ first: FirstRows) {
        entries = SortedEntries(sorted: first.entries)
        deeper = SortedEntries(sorted: [])
        reachesBelow = false
        sort = first.sort
        rowCount = max(entries.count, first.count)
        unread = UnreadFiles(count: first.unreadCount)
    }

    /// Whether these are only the first rows, as they were in the last run.
    package var isBeginning: Bool { entries.count < rowCount }

    /// The number of files that are unread, with those in the folders below.
    package var unreadCount: Int { unread.count }

    /// Whether a file of this kind is unread anywhere in the club.
    package var isUnreadInClub: Bool { unread.isAnywhere }

    /// Whether an entry, or a file below it, is unread.
    package func isUnread(_ entry: FileEntry, _ seen: UnreadMarks) -> Bool {
        entry.file.map(seen.isUnread) ?? unread.folders.contains(entry.path)
    }

    @concurrent package static func make(
        _ contents: ClubContents, _ request: Request, _ seen: UnreadMarks
    ) async -> FileArrangement {
        FileArrangement(contents, request, seen)
    }

    /// The rows to be shown first, on all processors: before they can be filtered they need ``indexed()``.
    @concurrent package static func makeRows(
        _ contents: ClubContents, _ request: Request, _ seen: UnreadMarks
    ) async -> FileArrangement {
        async let unread = UnreadFiles(contents, request.kind, in: request.folder, seen)
        var rows = FileArrangement(contents, request, unread: .none)
        rows.unread = await unread
        return rows
    }

    /// Prepares them for a filter, and for many calls of ``position(of:)``, at once.
    package mutating func makeIndex() {
        if index == nil { index = NameIndex(entries, deeper) }
    }

    /// The same rows, ready for a filter.
    @concurrent package func indexed() async -> FileArrangement {
        var indexed = self
        indexed.makeIndex()
        return indexed
    }

    /// The number of positions.
    package var count: Int { entries.count + deeper.count }

    package subscript(position: Int) -> FileEntry {
        position < entries.count ? entries[position] : deeper[position - entries.count]
    }

    /// The position of a path; nil if it is neither an entry nor below one.
    package func position(of path: RemotePath) -> Int? {
        if let index { return index.positions[path] }
        return entries.firstIndex { $0.path == path }
            ?? deeper.firstIndex { $0.path == path }.map { entries.count + $0 }
    }
}

// MARK: - Filtering

/// The rows that pass a filter.
package struct FilteredRows: Sendable {
    package let filter: NameFilter
    /// Positions in the arrangement: best match first, else in the list's order.
    package let positions: [Int]
}

extension FileArrangement {
    /// - Parameter earlier: The result of a filter that this one narrows; only those rows are tested.
    package func rows(_ filter: NameFilter, among earlier: FilteredRows? = nil) -> FilteredRows {
        var ranks = [[Int]](repeating: [], count: NameFilter.Rank.allCases.count)
        let candidates =
            earlier.flatMap { filter.narrows($0.filter) ? $0.positions.sorted() : nil }
            ?? Array(0..<count)
        (index ?? NameIndex(entries, deeper)).forEachName(of: candidates) { position, letters in
            if let rank = filter.rank(of: letters, name: self[position].name) {
                ranks[rank.rawValue].append(position)
            }
        }
        return FilteredRows(filter: filter, positions: ranks.flatMap { $0 })
    }

    @concurrent package func rowsInBackground(
        _ filter: NameFilter, among earlier: FilteredRows?
    ) async -> FilteredRows {
        rows(filter, among: earlier)
    }
}
