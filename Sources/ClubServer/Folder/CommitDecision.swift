import DropboxAPI

/// What an upload means for what is at its path already. See Dropbox's `WriteMode`.
enum CommitDecision: Hashable, Sendable {
    /// Nothing is there: take the name.
    case create
    /// Take the place of what is there.
    case replace
    /// The same bytes are there: write nothing.
    case keep
    case conflict(WriteConflictError)

    init(
        existing: Entry?, contentHash: ContentHash, mode: WriteMode, isStrict: Bool
    ) {
        guard let existing else {
            // The file a revision was of is gone; only the strict mind.
            if isStrict, case .update = mode { self = .conflict(.file) } else { self = .create }
            return
        }
        guard let facts = existing.facts else {
            self = .conflict(.folder)
            return
        }
        if case .update(let revision) = mode, revision == facts.revision {
            self = facts.contentHash == contentHash && !isStrict ? .keep : .replace
            return
        }
        if facts.contentHash == contentHash, !isStrict {
            self = .keep
            return
        }
        switch mode {
        case .overwrite: self = .replace
        case .add, .update: self = .conflict(.file)
        }
    }

    /// Another name to try when there was a conflict and the client allows one.
    static func otherName(for name: String, mode: WriteMode, attempt: Int) -> String {
        if case .update = mode { return NameRules.conflictedCopy(of: name, attempt) }
        return NameRules.numbered(name, attempt)
    }
}
