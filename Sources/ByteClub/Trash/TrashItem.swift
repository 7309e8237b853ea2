internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

/// A file that was deleted, here or by another member, and can be brought back.
struct TrashItem: Sendable, Hashable {
    /// As it was; at the place that it comes back to.
    var file: RemoteFile
    var deleted: Date
    /// Whether it was deleted on this computer; nil when nobody knows.
    var isOwn: Bool?
    var source: Source

    enum Source: Sendable, Hashable {
        /// Its text is on this computer.
        case here
        /// The club has it among its revisions.
        case revision
        /// It lies in the photos folder under a hidden name.
        case photosFolder(RemotePath)
    }

    var kind: FileKind? { ClubContents.kind(of: file) }
}

extension RemoteFile {
    /// Whether two files have the same bytes, as far as their club tells.
    fileprivate func hasSameBytes(as other: RemoteFile) -> Bool {
        guard let contentHash, let hash = other.contentHash else {
            return byteCount == other.byteCount
        }
        return contentHash == hash
    }
}

extension DeletedFile {
    /// Whether the trash shows this deletion so.
    func isSame(as item: TrashItem) -> Bool {
        if case .photosFolder(let place) = item.source { return trash == place.string }
        return path == item.file.path.string && revision == item.file.revision.rawValue
    }
}

extension Club {
    /// All that can be brought back, the latest deletion first.
    func trash() async -> [TrashItem] {
        let keepsRevisions = store?.revisionStore != nil
        let gone = await local?.read { try $0.trash() } ?? []
        var items = gone.compactMap { deletion -> TrashItem? in
            // It may be back already, before that is on the disk.
            if let there = contents[deletion.file.path], there.hasSameBytes(as: deletion.file) {
                return nil
            }
            let isText = ClubContents.kind(of: deletion.file) == .notes && deletion.hasText
            guard isText || keepsRevisions, ClubContents.kind(of: deletion.file) != nil else {
                return nil
            }
            return TrashItem(
                file: deletion.file, deleted: deletion.deleted, isOwn: deletion.isOwn,
                source: isText ? .here : .revision)
        }
        // What waits to be deleted is shown as deleted already.
        items += waiting.compactMap { change in
            guard change.action == .delete, let base = change.baseState else { return nil }
            let file = RemoteFile(
                path: change.path, revision: base.revision, byteCount: change.byteCount,
                modified: change.date, contentHash: base.contentHash)
            return TrashItem(file: file, deleted: change.date, isOwn: true, source: .here)
        }
        items += told.photosInTrash.filter { contents[$0.photo.path] == nil }.map {
            TrashItem(
                file: $0.photo, deleted: $0.deleted, isOwn: nil,
                source: .photosFolder($0.place))
        }
        return items.sorted { $0.deleted > $1.deleted }
    }

    /// Brings a file back, beside whatever has its name by now.
    func bringBack(_ item: TrashItem) async throws(StoreError) -> RemoteFile {
        switch item.source {
        case .photosFolder(let place):
            return try await restorePhoto(at: item.file.path, from: place)
        case .revision where item.kind == .photos:
            let file = try await perform { store throws(StoreError) in
                try await PhotoTrash.restore(item.file.path, item.file.revision, in: store)
            }
            record(file)
            return file
        case .here, .revision:
            return try await restoreNote(at: item.file.path, item.file.revision, nil)
        }
    }

    /// The text of a deleted note.
    ///
    /// - Throws: `.notFound` when it is kept nowhere any more.
    func text(of item: TrashItem) async throws(StoreError) -> Data {
        let (path, revision) = (item.file.path, item.file.revision)
        let seen = await local?.read { try $0.baseText(at: path, revision: revision, hash: nil) }
        if let data = seen ?? nil { return data }
        return try await perform { store throws(StoreError) in
            guard let keeper = store.revisionStore else {
                throw StoreError(.notFound, during: .fetch, at: path)
            }
            return try await keeper.fetch(path, revision: revision).data
        }
    }
}
