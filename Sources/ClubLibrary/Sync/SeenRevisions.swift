public import ClubStore
public import FoundationEssentials

/// The earlier versions of notes that this computer has seen, for a club whose store keeps none.
public struct SeenRevisions: RevisionKeeping {
    private let copy: LocalCopy
    private let store: any RemoteStore

    public init(of copy: LocalCopy, in store: any RemoteStore) {
        self.copy = copy
        self.store = store
    }

    @concurrent public func revisions(
        of path: RemotePath, limit: Int
    ) async throws(StoreError) -> RevisionHistory {
        try Self.history(of: path, current: try await current(path), seenIn: copy, limit: limit)
    }

    /// The versions of a note that this computer has seen.
    ///
    /// - Parameter current: The note in the club, or its last known state; nil if it is no longer there.
    /// - Throws: `.notFound` if nothing is known of it.
    public static func history(
        of path: RemotePath, current: RemoteFile?, seenIn copy: LocalCopy, limit: Int
    ) throws(StoreError) -> RevisionHistory {
        let seen = try Self.onDisk(path) { try copy.versions(of: path) }
        // A text typed here that was never in a club has no revision to request.
        var known: Set<Revision> = [Revision(rawValue: "")]
        var revisions: [RemoteFile] = []
        if let current {
            known.insert(current.revision)
            revisions.append(current)
        }
        for version in seen where known.insert(version.file.revision).inserted {
            revisions.append(version.file)
        }
        guard !revisions.isEmpty else {
            throw StoreError(.notFound, during: .metadata, at: path)
        }
        return RevisionHistory(
            isDeleted: current == nil, revisions: Array(revisions.prefix(limit)))
    }

    @concurrent public func fetch(
        _ path: RemotePath, revision: Revision
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        let data = try Self.onDisk(path) {
            try copy.baseText(at: path, revision: revision, hash: nil)
        }
        if let data {
            let file = RemoteFile(
                path: path, revision: revision, byteCount: Int64(data.count),
                modified: try modified(path, revision))
            return (file, data)
        }
        let found = try await store.fetch(path)
        guard found.file.revision == revision else {
            throw StoreError(.notFound, during: .fetch, at: path)
        }
        return found
    }

    @concurrent public func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(StoreError) -> RemoteFile {
        let (_, data) = try await fetch(path, revision: revision)
        return try await write(data, at: path)
    }

    /// Writes an earlier text, once the current one is stored here.
    @concurrent public func write(
        _ data: Data, at path: RemotePath
    ) async throws(StoreError) -> RemoteFile {
        var mode = RemoteWriteMode.create
        if try await current(path) != nil {
            // The replaced text must be stored as a version first.
            let found = try await store.fetch(path)
            do {
                try copy.keep([found])
                try copy.requireDurable()
            } catch {
                throw StoreError(
                    .fileUnwritable, during: .put, at: path, detail: "\(error)", underlying: error)
            }
            mode = .update(found.file.revision, contentHash: found.file.contentHash)
        }
        let file = try await store.put(data, at: path, mode: mode)
        try Self.onDisk(path) {
            try copy.record([.file(file)], isOwn: true)
            try copy.keep([(file, data)], isOwn: true)
        }
        return file
    }

    private func current(_ path: RemotePath) async throws(StoreError) -> RemoteFile? {
        do throws(StoreError) {
            return try await store.metadata(of: path)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private func modified(
        _ path: RemotePath, _ revision: Revision
    ) throws(StoreError) -> Date {
        let versions = try Self.onDisk(path) { try copy.versions(of: path) }
        return versions.first { $0.file.revision == revision }?.file.modified ?? Date()
    }

    /// Converts errors of the disk to the store's.
    private static func onDisk<Value>(
        _ path: RemotePath, _ body: () throws -> Value
    ) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(.fileUnreadable, during: .fetch, at: path, detail: "\(error)")
        }
    }
}
