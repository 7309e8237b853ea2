internal import ClubAccess
internal import FoundationEssentials

/// `lists.json`: the sort orders of a club's lists, and recent deletions.
struct ListChoices: Codable, Equatable, Sendable {
    var sorts: [String: ListSort] = [:]
    /// Oldest first.
    var deleted: [DeletedFile] = []

    /// Removes the oldest deletions, by whole groups; the last group stays, whatever its size.
    ///
    /// - Returns: The removed entries.
    mutating func trimDeleted(of kind: FileKind) -> [DeletedFile] {
        let own = deleted.filter { $0.kind == kind }
        guard own.count > DeletedFile.limit, let last = own.last?.group else { return [] }
        var count = own.count
        var dropped: Set<UUID> = []
        for file in own where file.group != last && !dropped.contains(file.group) {
            guard count > DeletedFile.limit else { break }
            dropped.insert(file.group)
            count -= own.count { $0.group == file.group }
        }
        guard !dropped.isEmpty else { return [] }
        deleted.removeAll { dropped.contains($0.group) }
        return own.filter { dropped.contains($0.group) }
    }

    /// Merges another window's choices with the changes made here since `base`.
    func merged(into theirs: ListChoices, since base: ListChoices) -> ListChoices {
        var merged = theirs
        for (kind, sort) in sorts where base.sorts[kind] != sort { merged.sorts[kind] = sort }
        let gone = Set(base.deleted).subtracting(deleted)
        let known = Set(base.deleted).union(theirs.deleted)
        merged.deleted.removeAll { gone.contains($0) }
        merged.deleted += deleted.filter { !known.contains($0) }
        for kind in FileKind.allCases { _ = merged.trimDeleted(of: kind) }
        return merged
    }

    /// JSON within the limit: the oldest deletions are left out.
    func encoded(atMost byteLimit: Int) -> Data? {
        var choices = self
        while true {
            guard let data = try? JSONEncoder().encode(choices) else { return nil }
            guard data.count > byteLimit else { return data }
            guard let oldest = choices.deleted.first?.group else { return nil }
            let isLast = choices.deleted.last?.group == oldest
            if isLast {
                choices.deleted.removeFirst((choices.deleted.count + 1) / 2)
            } else {
                choices.deleted.removeAll { $0.group == oldest }
            }
        }
    }
}
