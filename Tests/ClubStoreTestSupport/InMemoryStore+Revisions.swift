public import ClubStore
public import FoundationEssentials

extension InMemoryStore: RevisionStore {
    public var isKnownToKeepDeletedFiles: Bool? { keepsRevisions }

    @concurrent public func revisions(
        of path: RemotePath, limit: Int
    ) async throws(StoreError) -> RevisionHistory {
        try await gate.pass(.metadata, at: path)
        var history = try state.withStoreLock { club throws(StoreError) in
            try club.revisions(of: path, limit: limit)
        }
        guard !keepsEveryState else { return history }
        for index in history.revisions.indices.dropFirst(history.isDeleted ? 0 : 1) {
            history.revisions[index].revision = Self.kept(history.revisions[index].revision)
            history.revisions[index].contentHash = nil
        }
        return history
    }

    @concurrent public func fetch(
        _ path: RemotePath, revision: Revision
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        try await gate.pass(.fetch, at: path)
        return try state.withStoreLock { club throws(StoreError) in
            try club.read(path, revision: original(revision, at: path, in: club), during: .fetch)
        }
    }

    @concurrent public func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(StoreError) -> RemoteFile {
        try await gate.pass(.put, at: path)
        return try change { club throws(StoreError) in
            let found = try club.read(
                path, revision: original(revision, at: path, in: club), during: .put)
            return try club.write(found.data, at: path, mode: .overwrite, during: .put)
        }
    }

    @concurrent public func keptRevision(
        of path: RemotePath, _ revision: Revision, byteCount: Int64?
    ) async throws(StoreError) -> Revision {
        keepsEveryState ? revision : Self.kept(revision)
    }

    @concurrent public func keepsDeleted(_ file: RemoteFile) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            let last = try await revisions(of: file.path, limit: 1).revisions.first
            return last?.revision == (keepsEveryState ? file.revision : Self.kept(file.revision))
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }

    private static func kept(_ revision: Revision) -> Revision {
        Revision(rawValue: "kept " + revision.rawValue)
    }

    /// The revision that a state had. Where not every state is kept, only the present one is known by it.
    private func original(
        _ revision: Revision, at path: RemotePath, in club: InMemoryClub
    ) -> Revision {
        let present = try? club.read(path, during: .metadata).file.revision
        guard !keepsEveryState, revision != present else { return revision }
        guard revision.rawValue.hasPrefix("kept ") else { return Revision(rawValue: "unknown") }
        return Revision(rawValue: String(revision.rawValue.dropFirst(5)))
    }
}
