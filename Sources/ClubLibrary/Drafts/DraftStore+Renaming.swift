internal import FoundationEssentials

extension DraftStore {
    /// Moves the waiting drafts of a note that was renamed, or of the notes in a folder that was: their texts
    /// are saved there.
    ///
    /// A draft that is being edited is left to its editor, one that cannot be written stays as it is. Blocks on the
    /// disk.
    ///
    /// - Parameters:
    ///   - old: The path in the club before (`/name.txt`).
    ///   - new: The path now.
    ///   - base: The note's revision before and after, if it is a note: a draft with the one is based on the other.
    public func moveDrafts(
        of old: String, to new: String, base: (before: String, after: String)? = nil
    ) {
        for draft in waitingDrafts() where draft.renamed(old, to: new) != nil {
            guard claim(draft.id) == .claimed else { continue }
            defer { release(draft.id) }
            // As it is now: another program may have changed it.
            guard var renamed = self.draft(draft.id)?.renamed(old, to: new) else { continue }
            if let base, renamed.baseRevision == base.before { renamed.baseRevision = base.after }
            guard let data = try? renamed.encoded() else { continue }
            try? write(data, to: path(of: draft.id))
        }
    }
}

extension Draft {
    /// The draft after the note, or a folder above it, was renamed; nil if that does not concern it.
    func renamed(_ old: String, to new: String) -> Draft? {
        func moved(_ path: String) -> String? {
            guard path == old || path.hasPrefix(old + "/") else { return nil }
            return new + path.dropFirst(old.count)
        }
        var draft = self
        if let path = path.flatMap(moved) {
            draft.path = path
            draft.name = path.split(separator: "/").last.map(String.init) ?? name
        } else if let folder = folder.flatMap(moved) {
            draft.folder = folder
        } else {
            return nil
        }
        return draft
    }
}
