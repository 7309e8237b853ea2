internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

/// A file that was deleted, here or by another member, and can be restored.
struct TrashItem: Sendable, Hashable {
    /// The deleted file, at the path it is restored to.
    var file: RemoteFile
    var deleted: Date
    /// Whether it was deleted on this computer; nil if unknown.
    var isOwn: Bool?
    var source: Source

    enum Source: Sendable, Hashable {
        /// Its text is stored on this computer.
        case here
        /// The club keeps it as a revision.
        case revision
        /// It is in the photos folder under a hidden name.
        case photosFolder(RemotePath)
    }

    var kind: FileKind? { ClubContents.kind(of: file) }
}

extension DeletedFile {
    /// Whether both represent the same deletion.
    func isSame(as item: TrashItem) -> Bool {
        if case .photosFolder(let place) = item.source { return trash == place.string }
        return path == item.file.path.string && revision == item.file.revision.rawValue
    }
}

extension Club {
    /// Everything that can be restored, latest deletion first.
    func trash() async -> [TrashItem] {
        let keepsDeleted = await keepsDeletedFiles()
        let gone =
            await local?.read { try $0.trash(withAllStatesIn: ClubFiles.photosFolder()) } ?? []
        let deleted =
            gone.filter(\.isOwn).map { ($0.file.path, $0.file.contentHash) }
            + waiting.filter { $0.action == .delete }.map { ($0.path, $0.contentHash) }
        // What was written here after the state that the club had is what was deleted.
        let unsent: [RemotePath: RemoteFile] =
            await local?.read { copy in
                try deleted.reduce(into: [:]) { files, item in
                    files[item.0] = try copy.unsentVersion(of: item.0, hash: item.1)?.file
                }
            } ?? [:]
        var items = gone.compactMap { deletion -> TrashItem? in
            // It may have been restored, but not written to disk yet.
            guard !contents.has(again: deletion.file) else { return nil }
            let isText = ClubContents.kind(of: deletion.file) == .notes && deletion.hasText
            guard isText || keepsDeleted, ClubContents.kind(of: deletion.file) != nil else {
                return nil
            }
            let newest = deletion.isOwn && isText ? unsent[deletion.file.path] : nil
            return TrashItem(
                file: newest ?? deletion.file, deleted: deletion.deleted,
                isOwn: deletion.wasDeletedHere,
                source: isText ? .here : .revision)
        }
        // Deletions in the outbox are shown as completed.
        items += waiting.compactMap { change in
            guard change.action == .delete, let base = change.baseState else { return nil }
            let file = RemoteFile(
                path: change.path, revision: base.revision, byteCount: change.byteCount,
                modified: change.modified, contentHash: base.contentHash)
            return TrashItem(
                file: unsent[change.path] ?? file, deleted: change.date, isOwn: true, source: .here)
        }
        items += reported.photosInTrash.map {
            TrashItem(
                file: $0.photo, deleted: $0.deleted, isOwn: nil,
                source: .photosFolder($0.place))
        }
        return items.sorted { $0.deleted > $1.deleted }
    }

    /// Whether the store keeps deleted files. Its server is asked only if that is not known yet.
    private func keepsDeletedFiles() async -> Bool {
        guard let store else { return false }
        if let known = store.isKnownToKeepDeletedFiles { return known }
        guard !isOffline else { return false }
        let keeper = try? await perform { store throws(StoreError) in try await store.trashStore }
        return keeper.flatMap(\.self) != nil
    }

    /// Restores a file, next to any file that has its name now.
    func bringBack(_ item: TrashItem) async throws(StoreError) -> RemoteFile {
        switch item.source {
        case .photosFolder(let place):
            return try await restorePhoto(at: item.file.path, from: place)
        case .revision where item.kind == .photos:
            let file = try await perform { store throws(StoreError) in
                try await PhotoTrash.restore(
                    item.file.path, item.file.revision, byteCount: item.file.byteCount, in: store)
            }
            record(file)
            return file
        case .here, .revision:
            return try await restoreNote(
                at: item.file.path, item.file.revision, nil, byteCount: item.file.byteCount)
        }
    }

    /// The text of a deleted note.
    ///
    /// - Throws: `.notFound` if it is not stored anywhere.
    func text(of item: TrashItem) async throws(StoreError) -> Data {
        let (path, revision) = (item.file.path, item.file.revision)
        let seen = await local?.read { try $0.baseText(at: path, revision: revision, hash: nil) }
        if let data = seen ?? nil { return data }
        return try await perform { store throws(StoreError) in
            guard let keeper = try await store.trashStore else {
                throw StoreError(.notFound, during: .fetch, at: path)
            }
            let kept = try await keeper.keptRevision(
                of: path, revision, byteCount: item.file.byteCount)
            return try await keeper.fetch(path, revision: kept).data
        }
    }
}
