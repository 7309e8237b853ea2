public import ClubStore
public import FoundationEssentials

/// The earlier states of notes that this machine has seen, for a club whose store keeps none.
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
        let current = try await current(path)
        let seen = try onDisk(path) { try copy.versions(of: path) }
        // What was typed here and was in no club has no revision that could be asked for.
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
        let data = try onDisk(path) {
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
        var mode = WriteMode.create
        if try await current(path) != nil {
            // What is replaced must be among the states first.
            let found = try await store.fetch(path)
            try onDisk(path) { try copy.keep([found]) }
            mode = .update(found.file.revision, contentHash: found.file.contentHash)
        }
        let file = try await store.put(data, at: path, mode: mode)
        try onDisk(path) {
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
        let versions = try onDisk(path) { try copy.versions(of: path) }
        return versions.first { $0.file.revision == revision }?.file.modified ?? Date()
    }

    /// The disk's failures, as a store's.
    private func onDisk<Value>(
        _ path: RemotePath, _ body: () throws -> Value
    ) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(.fileUnreadable, during: .fetch, at: path, detail: "\(error)")
        }
    }
}
