internal import FoundationEssentials
internal import Synchronization

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
            let id = draft.id
            guard !abandoned.withLock({ $0.contains(id) }) else { continue }
            // In one step: an editor of this process may open it, save it or remove it.
            state.withLock { state in
                guard state.claims[id] == nil, state.applied[id] != Int.max,
                    claim(id, in: &state) == .claimed
                else { return }
                defer { release(id, in: &state) }
                // As it is now: another program may have changed it.
                guard var renamed = self.draft(id)?.renamed(old, to: new) else { return }
                if let base, renamed.baseRevision == base.before {
                    renamed.baseRevision = base.after
                }
                if let data = try? renamed.encoded() { try? write(data, to: path(of: id)) }
            }
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
