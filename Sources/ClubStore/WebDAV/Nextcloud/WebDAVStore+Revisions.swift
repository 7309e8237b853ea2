import DropboxAPI
public import FoundationEssentials

/// Earlier states, where the server is a Nextcloud: the versions of a file, and its trash.
///
/// Source: <https://docs.nextcloud.com/server/latest/developer_manual/client_apis/WebDAV/> (versions, trashbin).
extension WebDAVStore: RevisionStore {
    public var keepsRevisions: Bool {
        get async throws(StoreError) { try await has(.versions) }
    }

    public var keepsDeletedFiles: Bool {
        get async throws(StoreError) { try await has(.trash) }
    }

    public var isKnownToKeepDeletedFiles: Bool? {
        nextcloud == nil ? false : nextcloudApps.wasOn(.trash)
    }

    /// Nextcloud keeps one version for each second, fewer the older they are, and none where space is short.
    public var keepsEveryState: Bool { false }

    @concurrent public func revisions(
        of path: RemotePath, limit: Int
    ) async throws(StoreError) -> RevisionHistory {
        guard !path.isRoot else { throw StoreError(.wrongKind, during: .metadata, at: path) }
        let count = max(1, min(limit, 100))
        switch try await look(at: path, during: .metadata) {
        case .folder:
            throw StoreError(.wrongKind, during: .metadata, at: path)
        case .file(let file):
            let versions = try await versions(of: file, during: .metadata)
            return RevisionHistory(
                isDeleted: false, revisions: [file.file] + versions.prefix(count - 1))
        case .nothing:
            let deleted = try await deletedFiles(at: path, during: .metadata)
            guard !deleted.isEmpty else {
                throw StoreError(.notFound, during: .metadata, at: path)
            }
            return RevisionHistory(isDeleted: true, revisions: deleted.prefix(count).map(\.file))
        }
    }

    @concurrent public func fetch(
        _ path: RemotePath, revision: Revision
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        switch NextcloudRevision(revision) {
        case .version(let fileID, let name):
            let found = try await version(name, ofFile: fileID, at: path, during: .fetch)
            return try await fetch(found.version, from: found.place)
        case .deleted(let name):
            let found = try await deletedFile(name, at: path, during: .fetch)
            return try await fetch(found.file, from: found.place)
        case nil:
            // The present state is the only one that has a tag.
            let missing = StoreError(.notFound, during: .fetch, at: path)
            let there = try await currentFile(at: path, during: .fetch)
            guard there.file.revision == revision else { throw missing }
            let found = try await fetch(path)
            guard found.file.revision == revision else { throw missing }
            return found
        }
    }

    /// What was replaced is written as any text is, on the condition that the file is still what it was when the
    /// versions were listed. Nextcloud's own way, a `MOVE` of the version to `restore`, has no condition, does
    /// not keep the present text when there is a version of the same second, takes the version out of the list,
    /// and says `201` whatever it did.
    @concurrent public func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(StoreError) -> RemoteFile {
        switch NextcloudRevision(revision) {
        case .version(let fileID, let name):
            let found = try await version(name, ofFile: fileID, at: path, during: .put)
            let data: Data
            do throws(StoreError) {
                data = try await fetch(found.version, from: found.place).data
            } catch {
                var error = error
                error.operation = .put
                throw error
            }
            return try await put(data, at: path, mode: .update(found.current.revision))
        case .deleted(let name):
            let file = try await deletedFile(name, at: path, during: .put)
            return try await bringBack(file, to: path)
        case nil:
            let there = try await currentFile(at: path, during: .put)
            guard there.file.revision == revision else {
                throw StoreError(.notFound, during: .put, at: path)
            }
            return there.file
        }
    }

    @concurrent public func keptRevision(
        of path: RemotePath, _ revision: Revision, byteCount: Int64?
    ) async throws(StoreError) -> Revision {
        let deleted = try await deletedFiles(at: path, during: .metadata)
        let kept =
            deleted.first { $0.file.revision == revision }
            ?? deleted.first { byteCount == nil || $0.file.byteCount == byteCount }
        guard let kept else { throw StoreError(.notFound, during: .metadata, at: path) }
        return kept.file.revision
    }

    @concurrent public func keepsDeleted(_ file: RemoteFile) async throws(StoreError) -> Bool {
        try await deletedFiles(at: file.path, during: .metadata)
            .contains { $0.file.byteCount == file.byteCount }
    }
}

// MARK: - Versions

extension WebDAVStore {
    /// What a file was before, the latest first; empty where the server keeps no versions.
    private func versions(
        of current: WebDAVFile, during operation: StoreError.Operation
    ) async throws(StoreError) -> [RemoteFile] {
        guard let nextcloud, let fileID = current.fileID, NextcloudRevision.isName(fileID) else {
            return []
        }
        let path = current.file.path
        let entries = try await entries(
            of: nextcloud.versions(ofFile: fileID),
            properties: "<D:resourcetype/><D:getcontentlength/><D:getlastmodified/>",
            during: operation, at: path)
        var names: Set<String> = []
        var versions: [RemoteFile] = []
        for (name, properties) in entries ?? [] where names.insert(name).inserted {
            let second = Int32(name).map { Date(timeIntervalSince1970: Double($0)) }
            let version = RemoteFile(
                path: path,
                revision: NextcloudRevision.version(fileID: fileID, name: name).revision,
                byteCount: max(0, properties.byteCount ?? 0),
                modified: properties.modified ?? second ?? Date(timeIntervalSince1970: 0))
            // Later servers list the present state as well, which cannot be fetched from there.
            guard
                version.modified != current.file.modified
                    || version.byteCount != current.file.byteCount
            else { continue }
            versions.append(version)
        }
        return versions.sorted { $0.modified > $1.modified }
    }

    /// - Throws: `.notFound` when it is not kept any more, or is another file's.
    private func version(
        _ name: String, ofFile fileID: String, at path: RemotePath,
        during operation: StoreError.Operation
    ) async throws(StoreError) -> (current: RemoteFile, version: RemoteFile, place: [String]) {
        let current = try await currentFile(at: path, during: operation)
        let missing = StoreError(.notFound, during: operation, at: path)
        guard let nextcloud, current.fileID == fileID else { throw missing }
        let revision = NextcloudRevision.version(fileID: fileID, name: name).revision
        let versions = try await versions(of: current, during: operation)
        guard let version = versions.first(where: { $0.revision == revision }) else {
            throw missing
        }
        return (current.file, version, nextcloud.versions(ofFile: fileID) + [name])
    }

    /// - Throws: `.badAnswer` when the bytes are not as many as were listed.
    private func fetch(
        _ file: RemoteFile, from place: [String]
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        let data = try await send(
            .get(address.url(place), of: file.byteCount), limit: Int(fetchLimit), during: .fetch,
            at: file.path
        ).body
        guard Int64(data.count) == file.byteCount else {
            throw StoreError(
                .badAnswer, during: .fetch, at: file.path,
                detail: "\(data.count) bytes of \(file.byteCount)")
        }
        var file = file
        file.contentHash = ContentHash(of: data).hexadecimal
        return (file, data)
    }
}
