import DropboxAPI
public import FoundationEssentials

extension DropboxStore {
    @concurrent public func put(
        _ data: Data, at path: RemotePath, mode: WriteMode
    ) async throws(StoreError) -> RemoteFile {
        guard !path.isRoot else {
            throw StoreError(.conflict(serverRevision: nil), during: .put, at: path)
        }
        guard data.count <= configuration.limits.wholeFileByteCount else {
            throw StoreError(.tooLarge, during: .put, at: path)
        }
        // The same bytes written twice are written once, so a lost answer does no harm to them.
        let hash = ContentHash(of: data)
        let call = try DropboxCall(
            Routes.upload, UploadArg(commit: commit(to: path, mode), contentHash: hash))
        let write = UnsettledWrite(
            byteCount: Int64(data.count), hash: hash.hexadecimal, data: nil)
        unsettled.begin(write, at: path)
        do throws(StoreError) {
            let answer = try await send(call, body: .data(data), during: .put, at: path)
            let metadata: FileMetadata = try decode(answer.body, during: .put, at: path)
            let file = try paths.file(metadata, askedFor: path, during: .put)
            unsettled.forget(path)
            return file
        } catch {
            guard case .conflict = error.code else {
                unsettled.note(write, at: path)
                throw error
            }
            guard let there = try? await metadata(of: path) else {
                unsettled.drop(write, at: path)
                throw error
            }
            let isOurs = unsettled.writes(at: path).contains { $0.hash == there.contentHash }
            if isOurs, mode != .update(there.revision) {
                // What was sent before has arrived after all, and nobody else has written.
                return try await put(data, at: path, mode: .update(there.revision))
            }
            // From now on it is about what is there.
            unsettled.forget(path)
            var error = error
            error.code = .conflict(serverRevision: there.revision)
            throw error
        }
    }

    @concurrent public func delete(
        _ path: RemotePath, ifRevision revision: Revision?
    ) async throws(StoreError) {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .delete, at: path) }
        _ = try await call(
            Routes.delete, DeleteArg(path: paths.wire(path), parentRevision: revision?.rawValue),
            isRepeatable: false,
            during: .delete, at: path)
    }

    @discardableResult
    @concurrent public func move(
        _ path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .move, at: path) }
        guard !destination.isRoot else {
            throw StoreError(.conflict(serverRevision: nil), during: .move, at: destination)
        }
        let result = try await call(
            Routes.move,
            RelocationArg(fromPath: paths.wire(path), toPath: paths.wire(destination)),
            isRepeatable: false, during: .move, at: path)
        guard let entry = try paths.entry(result.metadata, during: .move) else {
            throw StoreError(.badAnswer, during: .move, at: path)
        }
        return entry
    }

    @concurrent public func createFolder(_ path: RemotePath) async throws(StoreError) {
        guard !path.isRoot else {
            throw StoreError(.conflict(serverRevision: nil), during: .createFolder, at: path)
        }
        _ = try await call(
            Routes.createFolder, CreateFolderArg(path: paths.wire(path)),
            isRepeatable: false, during: .createFolder, at: path)
    }

    /// - Parameter modified: When it was last written, in seconds since 1970; nil for now.
    func commit(
        to path: RemotePath, _ mode: WriteMode, modified: Int? = nil
    ) -> CommitInfo {
        let wireMode: DropboxAPI.WriteMode =
            switch mode {
            case .add: .add
            case .overwrite: .overwrite
            case .update(let revision): .update(revision.rawValue)
            }
        return CommitInfo(
            path: paths.wire(path), mode: wireMode,
            clientModified: modified.map { Timestamp(secondsSince1970: Int64($0)) })
    }
}
