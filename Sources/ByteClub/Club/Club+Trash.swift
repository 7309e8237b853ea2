internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Files that are deleted, and notes that are brought back.
extension Club {
    /// What is left of a file that was deleted.
    struct DeletedCopy {
        var file: RemoteFile
        /// Its bytes, where nothing but this run has them.
        var data: Data?
        /// Whether it can be brought back; nil when the club could not be asked.
        var isKept: Bool?
        /// Where a photo is kept in the club, when its store keeps no revisions.
        var trash: RemotePath?
    }

    /// Removes a note, once its text is kept: what cannot be brought back is not deleted.
    ///
    /// Where the club cannot be reached the deletion waits; the text is fetched before it is sent.
    func deleteNote(_ file: RemoteFile) async throws(StoreError) -> DeletedCopy {
        if isOffline || file.revision.waitingChange != nil {
            try await enqueue(.delete(file), because: nil)
            return DeletedCopy(file: file, isKept: true)
        }
        do throws(StoreError) {
            var deleted = try await keepText(of: file)
            try await perform { store throws(StoreError) in
                try await store.delete(
                    deleted.file.path, ifRevision: deleted.file.revision,
                    contentHash: deleted.file.contentHash)
            }
            recordRemoval(of: deleted.file)
            guard deleted.isKept != true else { return deleted }
            deleted.isKept = await storeKeeps(deleted.file)
            if deleted.isKept == true { deleted.data = nil }
            if deleted.data != nil { deleted.isKept = true }
            return deleted
        } catch {
            guard canWait(for: error) else { throw error }
            try await enqueue(.delete(file), because: error)
            return DeletedCopy(file: file, isKept: true)
        }
    }

    /// Removes a photo: it is too large to be kept here, so the store keeps it, as a revision or in the trash.
    func deletePhoto(_ file: RemoteFile) async throws(StoreError) -> DeletedCopy {
        guard try await openStore().revisionStore != nil else {
            let kept = try await perform { store throws(StoreError) in
                try await PhotoTrash.take(file, in: store, at: Date())
            }
            recordMove(of: file.path, in: file.revision, to: kept)
            emptyTrash()
            return DeletedCopy(file: file, isKept: true, trash: kept.path)
        }
        try await perform { store throws(StoreError) in
            try await store.delete(
                file.path, ifRevision: file.revision, contentHash: file.contentHash)
        }
        recordRemoval(of: file)
        return DeletedCopy(file: file, isKept: await storeKeeps(file))
    }

    /// Removes what has been in the trash for long.
    private func emptyTrash() {
        let now = Date().addingTimeInterval(-(store?.clockLead ?? 0))
        let expired = told.expiredPhotos(at: now)
        guard !expired.isEmpty else { return }
        Task {
            for file in expired {
                do throws(StoreError) {
                    try await perform { store throws(StoreError) in
                        try await store.delete(file.path, ifRevision: file.revision)
                    }
                    recordRemoval(of: file.path)
                } catch {
                    return  // at the next deletion
                }
            }
        }
    }

    /// Brings a photo back out of the trash, beside whatever has its name by now.
    func restorePhoto(
        at path: RemotePath, from kept: RemotePath
    ) async throws(StoreError) -> RemoteFile {
        let file = try await perform { store throws(StoreError) in
            try await PhotoTrash.restore(kept, to: path, in: store)
        }
        recordMove(of: kept, to: file)
        return file
    }

    /// Fetches what is to be deleted and keeps it: a store that speaks of revisions may have had no room
    /// for this one. A large file only such a store can keep.
    private func keepText(of file: RemoteFile) async throws(StoreError) -> DeletedCopy {
        // What is kept in memory would not outlive this club's time on the screen.
        let isDurable = await local?.canKeep() == true
        if isDurable, let seen = await local?.run({ try $0.text(of: file)?.file }) ?? nil {
            return DeletedCopy(file: seen, isKept: true)
        }
        let store = try await openStore()
        if file.byteCount > store.fetchLimit, store.revisionStore != nil {
            return DeletedCopy(file: file, isKept: false)
        }
        let found = try await perform { store throws(StoreError) in
            try await store.fetch(file.path)
        }
        guard found.file.revision == file.revision else {
            throw StoreError(
                .conflict(serverRevision: found.file.revision), during: .delete, at: file.path)
        }
        let isKept = isDurable ? await local?.run({ try $0.keep([found]) }) != nil : false
        return DeletedCopy(file: found.file, data: isKept ? nil : found.data, isKept: isKept)
    }

    /// Whether the store has the last state of what was removed; nil when it could not be asked.
    private func storeKeeps(_ file: RemoteFile) async -> Bool? {
        guard store?.revisionStore != nil else { return false }
        do throws(StoreError) {
            let last = try await perform { store throws(StoreError) in
                try await store.revisionStore?.revisions(of: file.path, limit: 1).revisions.first
            }
            return last?.revision == file.revision
        } catch {
            return error.code == .notFound ? false : nil
        }
    }

    /// Brings a note back, beside whatever has its name by now.
    ///
    /// - Parameters:
    ///   - revision: The state that it was deleted in.
    ///   - data: Its bytes, where they were kept in this run.
    /// - Throws: `.notFound` when its text is kept nowhere any more.
    func restoreNote(
        at path: RemotePath, _ revision: Revision, _ data: Data?
    ) async throws(StoreError) -> RemoteFile {
        if let file = await takeBackDeletion(of: path, revision) { return file }
        var text = data
        if text == nil {
            text =
                await local?.run { copy in
                    try copy.baseText(at: path, revision: revision, hash: nil)
                } ?? nil
        }
        if text == nil {
            text = try await perform { store throws(StoreError) in
                try await store.revisionStore?.fetch(path, revision: revision).data
            }
        }
        guard let text else { throw StoreError(.notFound, during: .fetch, at: path) }
        return try await putBack(TextBuffer(utf8: text), at: path)
    }

    /// A deletion that has not reached the club yet: bringing the note back is taking that back.
    ///
    /// An edit that waited and was taken up into the deletion waits again.
    private func takeBackDeletion(of path: RemotePath, _ revision: Revision) async -> RemoteFile? {
        let change = waiting.last { $0.action == .delete && $0.path == path && !$0.isSending }
        guard let change else { return nil }
        do {
            try await takeBack(change.id)
            guard let file = contents[path] else { return nil }
            guard revision.waitingChange != nil, file.revision != revision,
                let base = change.baseState,
                let text = await local?.run({ copy in
                    try copy.baseText(at: path, revision: revision, hash: nil)
                }) ?? nil
            else { return file }
            if await local?.run({ try $0.text(of: file)?.data }) == text { return file }
            // Through the outbox even when the club can be asked: others' changes are merged there.
            let mode = WriteMode.update(base.revision, contentHash: base.contentHash)
            return try await enqueue(.write(text, at: path, mode: mode), because: nil) ?? file
        } catch {
            // It has been sent in this very moment.
            await refreshWaiting()
            return nil
        }
    }

    private func putBack(
        _ text: TextBuffer, at path: RemotePath
    ) async throws(StoreError) -> RemoteFile {
        var (free, number) = (path, 0)
        while true {
            do throws(StoreError) {
                return try await write(text, at: free, mode: .add).file
            } catch {
                number += 1
                guard case .conflict = error.code, number <= CopyName.limit else { throw error }
                free = try (path.parent ?? .root).appending(
                    CopyName.of(path.name, number: number))
            }
        }
    }
}
