import DropboxAPI

/// What an upload does to the existing file at its path. See Dropbox's `WriteMode`.
enum CommitDecision: Hashable, Sendable {
    /// The path is free: create the file.
    case create
    /// Replace the existing file.
    case replace
    /// The same bytes exist: write nothing.
    case keep
    case conflict(WriteConflictError)

    init(
        existing: Entry?, contentHash: ContentHash, mode: WriteMode, isStrict: Bool
    ) {
        guard let existing else {
            // The revision's file is gone; a conflict only if strict.
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

    /// Another name to try after a conflict, if the client allows it.
    static func otherName(for name: String, mode: WriteMode, attempt: Int) -> String {
        if case .update = mode { return NameRules.conflictedCopy(of: name, attempt) }
        return NameRules.numbered(name, attempt)
    }
}
