import DropboxAPI
public import FoundationEssentials

/// Earlier states: `files/list_revisions`, `files/restore`, and downloads of `rev:…`.
extension DropboxStore: RevisionStore {
    @concurrent public func revisions(
        of path: RemotePath, limit: Int
    ) async throws(StoreError) -> RevisionHistory {
        guard !path.isRoot else { throw StoreError(.wrongKind, during: .metadata, at: path) }
        let argument = ListRevisionsArg(
            path: paths.wire(path), limit: UInt64(max(1, min(limit, 100))))
        let result = try await call(Routes.listRevisions, argument, during: .metadata, at: path)
        var revisions: [RemoteFile] = []
        for metadata in result.entries {
            revisions.append(try paths.file(metadata, askedFor: path, during: .metadata))
        }
        return RevisionHistory(isDeleted: result.isDeleted, revisions: revisions)
    }

    @concurrent public func fetch(
        _ path: RemotePath, revision: Revision
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        guard !path.isRoot else { throw StoreError(.wrongKind, during: .fetch, at: path) }
        return try await fetch(DownloadArg(path: "rev:" + revision.rawValue), at: path)
    }

    @concurrent public func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(StoreError) -> RemoteFile {
        guard !path.isRoot else { throw StoreError(.wrongKind, during: .put, at: path) }
        let argument = RestoreArg(path: paths.wire(path), revision: revision.rawValue)
        let restored: RemoteFile
        do throws(StoreError) {
            let metadata = try await call(Routes.restore, argument, during: .put, at: path)
            restored = try paths.file(metadata, askedFor: path, during: .put)
        } catch {
            guard let refusal = error.underlying as? DropboxRefusal,
                refusal.tags.contains("invalid_revision")
            else { throw error }
            throw StoreError(.notFound, during: .put, at: path, underlying: error)
        }
        try await requireRestored(restored, at: path, to: revision)
        return restored
    }

    /// Checks that the file has the state that was reported, and the bytes of the revision: see ``WriteEvidence``.
    private func requireRestored(
        _ restored: RemoteFile, at path: RemotePath, to revision: Revision
    ) async throws(StoreError) {
        let listed: [RemoteFile]
        do throws(StoreError) {
            listed = try await revisions(of: path, limit: 100).revisions
        } catch {
            guard error.code == .notFound else {
                var error = error
                error.operation = .put
                throw error
            }
            listed = []
        }
        let now = listed.first { $0.revision == restored.revision }
        // It may be older than those that are listed.
        let wanted = listed.first { $0.revision == revision }
        guard let now, now.hasSameBytes(as: restored), (wanted ?? now).hasSameBytes(as: restored),
            PathNames.key(restored.path.string) == PathNames.key(path.string)
        else {
            throw StoreError(
                .withoutEffect, during: .put, at: path,
                detail: "a yes, and another state: \(restored.revision.rawValue)")
        }
    }
}
