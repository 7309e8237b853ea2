/// One step of a listing, before it is converted to the API's types.
struct ListingPage: Sendable {
    enum Item: Sendable {
        case entry(Entry, path: String)
        case gone(Tombstone)
    }

    var items: [Item]
    var cursor: ListingCursor
    var hasMore: Bool
}

extension ClubIndex {
    /// The cursor with which a listing of a folder starts.
    func startCursor(
        folder: String, isRecursive: Bool, includesDeleted: Bool, pageSize: Int
    ) -> ListingCursor {
        ListingCursor(
            epoch: epoch, sequence: sequence, folder: folder, isRecursive: isRecursive,
            includesDeleted: includesDeleted, pageSize: pageSize, after: "")
    }

    /// Whether the changes after a cursor are still known.
    func canContinue(_ cursor: ListingCursor) -> Bool {
        cursor.epoch == epoch && cursor.sequence <= sequence && cursor.sequence >= forgotten
    }

    /// The next page after a cursor that ``canContinue(_:)``.
    ///
    /// A folder is listed in the order of its keys, so a page needs no state from the one before,
    /// and changes in between are reported by the changes since the first.
    func page(after cursor: ListingCursor) -> ListingPage {
        cursor.after == nil ? changesPage(after: cursor) : listingPage(after: cursor)
    }

    /// Whether there are changes that a cursor's owner has not seen.
    func hasChanges(for cursor: ListingCursor) -> Bool {
        guard cursor.after == nil else { return true }
        guard cursor.sequence < sequence else { return false }
        return entries.values.contains {
            $0.sequence > cursor.sequence && Self.covers(cursor, $0.key)
        }
            || tombstones.values.contains {
                $0.sequence > cursor.sequence && Self.covers(cursor, $0.key)
            }
    }

    private func listingPage(after cursor: ListingCursor) -> ListingPage {
        let after = cursor.after ?? ""
        var keys: [String]
        if cursor.isRecursive {
            keys = descendants(of: cursor.folder).map(\.key)
            // A recursive listing begins with the folder itself.
            if !cursor.folder.isEmpty { keys.append(cursor.folder) }
        } else {
            keys = Array(childKeys(of: cursor.folder))
        }
        if cursor.includesDeleted {
            keys += tombstones.keys.filter { Self.covers(cursor, $0) }
        }
        keys = keys.filter { ByteOrder.isBefore(after, $0) }.sorted(by: ByteOrder.isBefore)
        let page = keys.prefix(cursor.pageSize)
        var next = cursor
        next.after = page.count < keys.count ? page.last : nil
        return ListingPage(
            items: page.compactMap(item(for:)), cursor: next, hasMore: next.after != nil)
    }

    private func changesPage(after cursor: ListingCursor) -> ListingPage {
        let changed =
            entries.values.filter { $0.sequence > cursor.sequence && Self.covers(cursor, $0.key) }
            .map { (sequence: $0.sequence, key: $0.key) }
            + tombstones.values.filter {
                $0.sequence > cursor.sequence && Self.covers(cursor, $0.key)
            }
            .map { (sequence: $0.sequence, key: $0.key) }
        let page = changed.sorted { $0.sequence < $1.sequence }.prefix(cursor.pageSize)
        var next = cursor
        let hasMore = page.count < changed.count
        next.sequence = hasMore ? page.last?.sequence ?? sequence : sequence
        return ListingPage(
            items: page.compactMap { item(for: $0.key) }, cursor: next, hasMore: hasMore)
    }

    private func item(for key: String) -> ListingPage.Item? {
        if let entry = entries[key] { return .entry(entry, path: displayPath(of: key)) }
        return tombstones[key].map(ListingPage.Item.gone)
    }

    /// Whether a cursor's listing includes a key.
    static func covers(_ cursor: ListingCursor, _ key: String) -> Bool {
        if key.isEmpty { return false }
        if !cursor.isRecursive { return Entry.parentKey(of: key) == cursor.folder }
        return key == cursor.folder || isBelow(key, cursor.folder)
    }

    /// Whether a key is below a folder's.
    static func isBelow(_ key: String, _ folder: String) -> Bool {
        let (key, folder) = (key.utf8, folder.utf8)
        return key.count > folder.count && key.starts(with: folder)
            && key[key.index(key.startIndex, offsetBy: folder.count)] == UInt8(ascii: "/")
    }
}

/// Orders text by its bytes: faster than Unicode's order, and the same on every machine.
enum ByteOrder {
    static func isBefore(_ a: String, _ b: String) -> Bool {
        a.utf8.lexicographicallyPrecedes(b.utf8)
    }
}
