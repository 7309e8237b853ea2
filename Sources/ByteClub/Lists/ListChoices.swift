internal import ClubAccess
internal import FoundationEssentials

/// `lists.json`: what was chosen for a club's lists, and what was deleted from them.
struct ListChoices: Codable, Equatable, Sendable {
    var sorts: [String: ListSort] = [:]
    /// The last one deleted stands last.
    var deleted: [DeletedFile] = []

    /// Forgets the oldest of what was deleted, by whole groups; what was deleted last stays, however much
    /// that was.
    ///
    /// - Returns: What was forgotten.
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

    /// What another window has kept, with what was changed here since `base`.
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

    /// As JSON that is no longer than it may be: the oldest of what was deleted is left out.
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
