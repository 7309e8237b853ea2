internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Deleting files, and restoring notes.
extension Club {
    /// What remains of a deleted file.
    struct DeletedCopy {
        var file: RemoteFile
        /// The bytes, if they are stored nowhere else.
        var data: Data?
        /// Whether it can be restored; nil if the club could not be asked.
        var isKept: Bool?
        /// The photo's path in the club's trash, if the store keeps no revisions.
        var trash: RemotePath?
    }

    /// How long the text of a deleted note has to last.
    enum TextLifetime {
        /// It is on disk here, or the club keeps it.
        case lasting
        /// A copy in memory will do: the person was asked.
        case untilQuit
    }

    /// Deletes a note after its text was stored: only what can be restored is deleted.
    ///
    /// If the club is unreachable, the deletion goes to the outbox; the text is fetched before it is sent.
    ///
    /// - Throws: An error with ``StoreError/isForLackOfCopy`` if the text would not outlive the app, though it has to.
    func deleteNote(
        _ file: RemoteFile, keepingText lifetime: TextLifetime = .lasting
    ) async throws(StoreError) -> DeletedCopy {
        if isOffline || file.revision.waitingChange != nil {
            try await enqueue(.delete(file), because: nil)
            return DeletedCopy(file: file, isKept: true)
        }
        do throws(StoreError) {
            var deleted = try await keepText(of: file, lifetime)
            try await perform { store throws(StoreError) in
                try await store.delete(
                    deleted.file.path, ifRevision: deleted.file.revision,
                    contentHash: deleted.file.contentHash)
            }
            recordRemoval(of: deleted.file)
            guard deleted.isKept != true else { return deleted }
            deleted.isKept = await isKeptInStore(deleted.file)
            if deleted.isKept == true { deleted.data = nil }
            if deleted.data != nil { deleted.isKept = true }
            return deleted
        } catch {
            guard canWait(for: error) else { throw error }
            try await enqueue(.delete(file), because: error)
            return DeletedCopy(file: file, isKept: true)
        }
    }

    /// Deletes a photo. It is too large to be stored here, so the store keeps it, as a revision or in the
    /// trash.
    func deletePhoto(_ file: RemoteFile) async throws(StoreError) -> DeletedCopy {
        let isKeptByStore = try await perform { store throws(StoreError) in
            try await store.trashStore != nil
        }
        guard isKeptByStore else {
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
        emptyTrash()
        return DeletedCopy(file: file, isKept: await isKeptInStore(file))
    }

    /// Removes expired photos from the trash.
    private func emptyTrash() {
        let now = Date().addingTimeInterval(-(store?.clockLead ?? 0))
        let expired = reported.expiredPhotos(at: now)
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

    /// Restores a photo from the trash, next to any file that has its name now.
    func restorePhoto(
        at path: RemotePath, from kept: RemotePath
    ) async throws(StoreError) -> RemoteFile {
        let file = try await perform { store throws(StoreError) in
            try await PhotoTrash.restore(kept, to: path, in: store)
        }
        recordMove(of: kept, to: file)
        return file
    }

    /// Fetches and stores a text that is to be deleted: a store that keeps revisions may have had no room for
    /// this one. A large file can only be kept by such a store.
    private func keepText(
        of file: RemoteFile, _ lifetime: TextLifetime
    ) async throws(StoreError) -> DeletedCopy {
        // A copy in memory would be lost when the session ends.
        if await local?.canKeep() == true,
            let seen = await local?.run({ try $0.text(of: file)?.file }) ?? nil
        {
            return DeletedCopy(file: seen, isKept: true)
        }
        let store = try await link.openStore()
        if file.byteCount > store.fetchLimit, try await store.trashStore != nil {
            return DeletedCopy(file: file, isKept: false)
        }
        let found = try await perform { store throws(StoreError) in
            try await store.fetch(file.path)
        }
        guard found.file.revision == file.revision else {
            throw StoreError(
                .conflict(serverRevision: found.file.revision), during: .delete, at: file.path)
        }
        let place = await keepCopy(of: found)
        // A club that is opened without a local copy has copies in memory alone.
        guard place != .nowhere || lifetime == .untilQuit || local == nil else {
            throw StoreError(.fileUnwritable, during: .delete, at: file.path)
        }
        let isKept = place == .here
        return DeletedCopy(file: found.file, data: isKept ? nil : found.data, isKept: isKept)
    }

    /// Whether the store keeps the last revision of a deleted file; nil if it could not be asked.
    func isKeptInStore(_ file: RemoteFile) async -> Bool? {
        guard store?.isKnownToKeepDeletedFiles != false else { return false }
        do throws(StoreError) {
            return try await perform { store throws(StoreError) in
                try await store.trashStore?.keepsDeleted(file) ?? false
            }
        } catch {
            return error.code == .notFound ? false : nil
        }
    }

    /// Restores a note, next to any file that has its name now.
    ///
    /// - Parameters:
    ///   - revision: The revision that was deleted.
    ///   - data: Its bytes, if they were kept in this run.
    /// - Throws: `.notFound` if its text is not stored anywhere.
    func restoreNote(
        at path: RemotePath, _ revision: Revision, _ data: Data?, byteCount: Int64? = nil
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
                guard let keeper = try await store.trashStore else { return Data?.none }
                let kept = try await keeper.keptRevision(
                    of: path, revision, byteCount: byteCount)
                return try await keeper.fetch(path, revision: kept).data
            }
        }
        guard let text else { throw StoreError(.notFound, during: .fetch, at: path) }
        return try await putBack(TextBuffer(utf8: text), at: path)
    }

    /// Restores a note whose deletion is still in the outbox, by removing the deletion.
    ///
    /// An edit that the deletion had replaced in the outbox is queued again.
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
            // Through the outbox even if the club is reachable: it merges other members' changes.
            let mode = RemoteWriteMode.update(base.revision, contentHash: base.contentHash)
            return try await enqueue(.write(text, at: path, mode: mode), because: nil) ?? file
        } catch {
            // It was sent at this very moment.
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
                guard error.isNameTaken, number <= CopyName.limit else { throw error }
                free = try (path.parent ?? .root).appending(
                    CopyName.of(path.name, number: number))
            }
        }
    }
}

extension StoreError {
    /// Whether a note was not deleted because its text can be kept nowhere.
    var isForLackOfCopy: Bool { code == .fileUnwritable && operation == .delete }
}
