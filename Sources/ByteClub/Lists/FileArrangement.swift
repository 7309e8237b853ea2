package import ClubAccess
internal import ClubLibrary
package import ClubStore
internal import FoundationEssentials
internal import Glibc

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
    package let entries: [FileEntry]
    /// The files in the folders below, which only a filter shows. Their positions follow those of ``entries``.
    private let deeper: [FileEntry]
    /// Whether the files in the folders below are among its positions.
    package let reachesBelow: Bool
    /// The number of files that are unread, with those in the folders below.
    package let unreadCount: Int
    /// Whether a file of this kind is unread anywhere in the club.
    package let isUnreadInClub: Bool
    /// The folders among the entries with unread files in them or below.
    private let unreadFolders: Set<RemotePath>
    private let positions: [RemotePath: Int]
    /// The names in the form that a filter compares, concatenated, and the end of each.
    private let letters: [UInt8]
    private let ends: [Int]

    package static let empty = FileArrangement(
        ClubContents(), Request(kind: .notes), UnreadMarks())

    package init(_ contents: ClubContents, _ request: Request, _ seen: UnreadMarks) {
        let entries = Self.sorted(
            contents.entries(of: request.kind, in: request.folder), request.sort)
        let deeper =
            request.reachesBelow
            ? Self.sorted(contents.entries(of: request.kind, below: request.folder), request.sort)
            : []
        (self.entries, self.deeper) = (entries, deeper)
        reachesBelow = request.reachesBelow
        // Without copies of the entries: each has references to be counted.
        let count = entries.count + deeper.count
        var positions: [RemotePath: Int] = [:]
        var (letters, ends): ([UInt8], [Int]) = ([], [])
        positions.reserveCapacity(count)
        letters.reserveCapacity(count * 16)
        ends.reserveCapacity(count)
        for list in [entries, deeper] {
            for entry in list {
                positions[entry.path] = ends.count
                letters += SearchLetters.folded(entry.name)
                ends.append(letters.count)
            }
        }
        (self.positions, self.letters, self.ends) = (positions, letters, ends)
        let unread =
            seen.isEmpty
            ? []
            : contents.allFiles.filter {
                seen.isUnread($0) && ClubContents.kind(of: $0) == request.kind
            }
        let shown =
            request.kind == .photos ? unread : unread.filter { $0.path.isInside(request.folder) }
        let depth = request.folder.components.count + 1
        isUnreadInClub = !unread.isEmpty
        unreadCount = shown.count
        unreadFolders = Set(
            shown.lazy.filter { $0.path.components.count > depth }.map { $0.path.prefix(depth) })
    }

    /// Whether an entry, or a file below it, is unread.
    package func isUnread(_ entry: FileEntry, _ seen: UnreadMarks) -> Bool {
        entry.file.map(seen.isUnread) ?? unreadFolders.contains(entry.path)
    }

    @concurrent package static func make(
        _ contents: ClubContents, _ request: Request, _ seen: UnreadMarks
    ) async -> FileArrangement {
        FileArrangement(contents, request, seen)
    }

    /// The number of positions.
    package var count: Int { ends.count }

    package subscript(position: Int) -> FileEntry {
        position < entries.count ? entries[position] : deeper[position - entries.count]
    }

    /// The position of a path; nil if it is neither an entry nor below one.
    package func position(of path: RemotePath) -> Int? { positions[path] }

    private static func sorted(_ entries: [FileEntry], _ sort: ListSort) -> [FileEntry] {
        /// Contains no references, because many are moved.
        struct Item {
            /// Larger ones sort first.
            var weight: Int64
            var prefix: UInt64
            var key: Range<Int>
            var index: Int
        }
        var keys: [UInt8] = []
        keys.reserveCapacity(entries.count * 64)
        var items = entries.indices.map { index in
            let entry = entries[index]
            let weight: Int64 =
                switch (entry, sort) {
                case (.folder, _): .max
                case (.file, .name): 0
                case (.file(let file), .size): file.byteCount
                case (.file(let file), .change):
                    Int64(max(-9e15, min(file.modified.timeIntervalSince1970, 9e15)))
                }
            let start = keys.count
            NaturalOrderKey.append(entry.name, to: &keys)
            return Item(
                weight: weight, prefix: NaturalOrderKey.prefix(of: keys[start...]),
                key: start..<keys.count, index: index)
        }
        keys.withUnsafeBytes { keys in
            guard let base = keys.baseAddress else { return }
            items.sort { first, second in
                if first.weight != second.weight { return first.weight > second.weight }
                if first.prefix != second.prefix { return first.prefix < second.prefix }
                let (one, other) = (first.key, second.key)
                let order = memcmp(
                    base + one.lowerBound, base + other.lowerBound, min(one.count, other.count))
                return order == 0 ? one.count < other.count : order < 0
            }
        }
        return items.map { entries[$0.index] }
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
        letters.withUnsafeBufferPointer { letters in
            for position in candidates {
                let start = position == 0 ? 0 : ends[position - 1]
                let name = UnsafeBufferPointer(rebasing: letters[start..<ends[position]])
                if let rank = filter.rank(of: name, name: self[position].name) {
                    ranks[rank.rawValue].append(position)
                }
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
