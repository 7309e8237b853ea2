public import ClubStore
public import FoundationEssentials

extension InMemoryStore: RevisionStore {
    @concurrent public func revisions(
        of path: RemotePath, limit: Int
    ) async throws(StoreError) -> RevisionHistory {
        try await gate.pass(.metadata, at: path)
        return try state.withStoreLock { club throws(StoreError) in
            try club.revisions(of: path, limit: limit)
        }
    }

    @concurrent public func fetch(
        _ path: RemotePath, revision: Revision
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        try await gate.pass(.fetch, at: path)
        return try state.withStoreLock { club throws(StoreError) in
            try club.read(path, revision: revision, during: .fetch)
        }
    }

    @concurrent public func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(StoreError) -> RemoteFile {
        try await gate.pass(.put, at: path)
        return try change { club throws(StoreError) in
            let found = try club.read(path, revision: revision, during: .put)
            return try club.write(found.data, at: path, mode: .overwrite, during: .put)
        }
    }
}
