public import ClubStore
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
    ///   - before: The note or folder as it was. A draft that is based on this revision of it is based on the new one
    ///     then: its bytes are the same.
    ///   - after: The same as it is now.
    public func moveDrafts(of before: RemoteEntry, to after: RemoteEntry) {
        let (old, new) = (before.path.string, after.path.string)
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
                if let base = before.file, let moved = after.file,
                    renamed.baseRevision == base.revision.rawValue
                {
                    renamed.baseRevision = moved.revision.rawValue
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
            // Names are equal in any normalization form.
            let (names, folder) = (path.pathNames(), old.pathNames())
            guard names.starts(with: folder) else { return nil }
            return ([new] + names.dropFirst(folder.count)).joined(separator: "/")
        }
        var draft = self
        if let path = path.flatMap(moved) {
            draft.path = path
            draft.name = path.pathNames().last ?? name
        } else if let folder = folder.flatMap(moved) {
            draft.folder = folder
        } else {
            return nil
        }
        return draft
    }
}
