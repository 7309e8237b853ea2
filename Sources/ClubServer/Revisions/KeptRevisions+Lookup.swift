import DropboxAPI
import Glibc
import Synchronization

extension KeptRevisions {
    /// The kept revisions of a path, latest first.
    func history(key: String) -> [KeptRevision] {
        state.withLock { state in checked(state.index.history(key: key), &state) }
    }

    /// The kept revisions of a file, at any path; latest first.
    func history(id: String) -> [KeptRevision] {
        state.withLock { state in checked(state.index.history(id: id), &state) }
    }

    struct Opened: ~Copyable {
        let revision: KeptRevision
        let file: Descriptor

        consuming func takeFile() -> Descriptor { file }
    }

    func open(_ revision: String) -> Opened? {
        state.withLock { state in
            guard let kept = state.index[revision],
                let file = try? folder.with({ number throws(SystemError) in
                    try FolderAccess.file(revision, in: number)
                }), (try? FileStatus.of(file))?.signature == kept.blob
            else { return nil }
            return Opened(revision: kept, file: file)
        }
    }

    /// Stores a hash computed outside the lock.
    func note(_ hash: ContentHash, of revision: String) {
        state.withLock { state in
            guard var kept = state.index[revision], kept.facts.contentHash == nil else { return }
            kept.facts.contentHash = hash
            state.index.add(kept)
            append([.kept(kept)], &state)
        }
    }

    /// Only revisions with unchanged bytes. A program that had a file open when it was replaced may
    /// write to it afterwards: the result is a revision of its own.
    private func checked(_ history: [KeptRevision], _ state: inout State) -> [KeptRevision] {
        history.compactMap { kept in
            guard
                let status = try? folder.with({ number throws(SystemError) in
                    try FileStatus.of(kept.revision, in: number)
                })
            else {
                drop([kept], &state)
                return nil
            }
            if status.signature == kept.blob { return kept }
            var changed = kept
            changed.facts = FileFacts(signature: status.signature)
            changed.blob = status.signature
            guard status.kind == .file,
                (try? folder.with { number throws(SystemError) in
                    try SystemError.check(
                        "rename", renameat(number, kept.revision, number, changed.revision))
                }) != nil
            else { return nil }
            state.index.remove(kept.revision)
            state.index.add(changed)
            append([.dropped(revision: kept.revision), .kept(changed)], &state)
            return changed
        }
    }
}
