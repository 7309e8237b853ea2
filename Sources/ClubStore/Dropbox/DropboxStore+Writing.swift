import DropboxAPI
public import FoundationEssentials

extension DropboxStore {
    @concurrent public func put(
        _ data: Data, at path: RemotePath, mode: RemoteWriteMode
    ) async throws(StoreError) -> RemoteFile {
        guard !path.isRoot else {
            throw StoreError(.conflict(serverRevision: nil), during: .put, at: path)
        }
        guard data.count <= configuration.limits.wholeFileByteCount else {
            throw StoreError(.tooLarge, during: .put, at: path)
        }
        // Writing the same bytes twice is idempotent, so a lost response does no harm.
        let hash = ContentHash(of: data)
        var call = try DropboxCall(
            Routes.upload, UploadArg(commit: commit(to: path, mode), contentHash: hash))
        // What must be new would be in its own way: see ``outcome(of:at:mode:after:)``.
        call.isRepeatable = mode != .create
        let write = UnconfirmedWrite(
            byteCount: Int64(data.count), hash: hash.hexadecimal, data: nil)
        unconfirmed.begin(write, at: path)
        do throws(StoreError) {
            let answer = try await send(call, body: .data(data), during: .put, at: path)
            let metadata: FileMetadata = try decode(answer.body, during: .put, at: path)
            let file = try paths.file(metadata, askedFor: path, during: .put)
            let sent = WriteEvidence.Content(byteCount: write.byteCount, hash: write.hash)
            try await requireSamePlace(file, as: path, sent, mode, during: .put)
            try requireStored(write, as: file)
            unconfirmed.forget(path)
            return file
        } catch {
            switch await outcome(of: write, at: path, mode: mode, after: error) {
            case .stored(let file): return file
            case .earlier(let there):
                // The earlier write has arrived after all, and no other member has written since.
                return try await put(data, at: path, mode: .update(there.revision))
            case .failed(let error): throw error
            }
        }
    }

    /// Checks by the file's metadata that it has the bytes that were sent: see ``WriteEvidence``.
    /// Dropbox returns the metadata with the response, so no further request is needed.
    private func requireStored(_ write: UnconfirmedWrite, as file: RemoteFile) throws(StoreError) {
        let evidence = WriteEvidence(
            sent: .init(byteCount: write.byteCount, hash: write.hash),
            found: .init(byteCount: file.byteCount, hash: file.contentHash ?? write.hash),
            revision: file.revision, base: nil)
        guard evidence == .stored else {
            throw StoreError(
                .withoutEffect, during: .put, at: file.path,
                detail: "\(file.byteCount) bytes with the hash \(file.contentHash ?? "none")")
        }
    }

    @concurrent public func delete(
        _ path: RemotePath, ifRevision revision: Revision?, contentHash: String?
    ) async throws(StoreError) {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .delete, at: path) }
        // Of what nobody has seen there, its absence after a failure would say nothing.
        if revision == .ofNothing, !unconfirmed.has(.removal, at: path) {
            throw StoreError(.notFound, during: .delete, at: path)
        }
        let result: DeleteResult
        do throws(StoreError) {
            result = try await call(
                Routes.delete,
                DeleteArg(path: paths.wire(path), parentRevision: revision?.rawValue),
                isRepeatable: false, during: .delete, at: path)
        } catch {
            // It is gone and the response was lost: in this attempt or an earlier one.
            var isDone =
                error.code == .notFound
                && (error.followsUnclearAttempt || unconfirmed.has(.removal, at: path))
            if error.code.mayHideSuccess { isDone = await isGone(path) }
            if !isDone, error.code == .notFound, let revision {
                // A gateway that performs a call twice reports what the second one has met.
                isDone = await lastState(of: path)?.revision == revision
            }
            guard isDone else {
                if error.code.mayHideSuccess { unconfirmed.note(.removal, at: path) }
                throw error
            }
            unconfirmed.forget(path)
            return
        }
        try await confirmRemoval(of: path, revision, result.metadata)
        unconfirmed.forget(path)
    }

    /// Checks that it is gone, even if someone has created another since.
    ///
    /// - Parameters:
    ///   - revision: What was to be removed; nil for any.
    ///   - metadata: What the server says it has removed.
    private func confirmRemoval(
        of path: RemotePath, _ revision: Revision?, _ metadata: Metadata
    ) async throws(StoreError) {
        var removed = try? paths.entry(metadata, during: .delete)
        if let there = removed, !isSamePlace(there.path, path) { removed = nil }
        let wasFolder = if case .folder = removed { true } else { false }
        let seen = revision ?? removed?.file?.revision
        do throws(StoreError) {
            _ = try await requireState(at: path, during: .delete) { found in
                switch found {
                case .nothing: true
                case .file(let file): wasFolder || seen != nil && file.revision != seen
                case .folder: seen != nil
                }
            }
        } catch {
            // A look that could not be made contradicts nothing.
            guard error.code == .withoutEffect else { return }
            // The next attempt must recognize it if it has been removed all the same.
            unconfirmed.note(.removal, at: path)
            throw error
        }
    }

    private func isGone(_ path: RemotePath) async -> Bool {
        do throws(StoreError) {
            _ = try await metadata(of: path)
            return false
        } catch {
            return error.code == .notFound
        }
    }

    @discardableResult
    @concurrent public func move(
        _ path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        guard !path.isRoot else { throw StoreError(.forbidden, during: .move, at: path) }
        guard !destination.isRoot else {
            throw StoreError(.conflict(serverRevision: nil), during: .move, at: destination)
        }
        let result: RelocationResult
        do throws(StoreError) {
            result = try await call(
                Routes.move,
                RelocationArg(fromPath: paths.wire(path), toPath: paths.wire(destination)),
                isRepeatable: false, during: .move, at: path)
        } catch {
            let move = UnconfirmedWrite.Change.move(to: destination.string)
            let wasMoved =
                error.code == .notFound
                && (error.followsUnclearAttempt || unconfirmed.has(move, at: path))
            if error.code.mayHideSuccess || wasMoved, await isGone(path),
                let entry = await entry(at: destination)
            {
                unconfirmed.forget(path)
                return entry
            }
            if error.code == .notFound || error.isConflict,
                let file = await movedFile(from: path, to: destination)
            {
                unconfirmed.forget(path)
                return .file(file)
            }
            if error.code.mayHideSuccess { unconfirmed.note(move, at: path) }
            throw error
        }
        guard let entry = try paths.entry(result.metadata, during: .move) else {
            throw StoreError(.badAnswer, during: .move, at: path)
        }
        let moved = try await confirmMove(of: path, to: destination, as: entry)
        unconfirmed.forget(path)
        return moved
    }

    /// Checks that it is at its destination.
    ///
    /// - Parameter entry: What the server says is there.
    private func confirmMove(
        of path: RemotePath, to destination: RemotePath, as entry: RemoteEntry
    ) async throws(StoreError) -> RemoteEntry {
        let found: Found
        do throws(StoreError) {
            found = try await requireState(at: destination, during: .move) { found in
                switch (found, entry) {
                case (.file(let file), .file(let moved)): file.hasSameBytes(as: moved)
                case (.folder, .folder): true
                default: false
                }
            }
        } catch {
            // A look that could not be made contradicts nothing.
            guard error.code == .withoutEffect else { return entry }
            // The answer may have been about something else.
            if let file = await movedFile(from: path, to: destination) { return .file(file) }
            // The next attempt must recognize it if it has been moved all the same.
            unconfirmed.note(.move(to: destination.string), at: path)
            throw error
        }
        if case .file(let file) = found { return .file(file) }
        return isSamePlace(entry.path, destination) ? entry : .folder(destination)
    }

    /// The file at a destination, if the source is gone and had the same bytes: a gateway that performs a call twice
    /// reports what the second one has met.
    private func movedFile(
        from path: RemotePath, to destination: RemotePath
    ) async -> RemoteFile? {
        let known = seen.file(at: path)
        guard await isGone(path), let there = try? await metadata(of: destination),
            let hash = there.contentHash
        else { return nil }
        var before = known
        if before == nil { before = await lastState(of: path) }
        return before?.contentHash == hash && before?.byteCount == there.byteCount ? there : nil
    }

    /// What a file was when it was removed; nil if it is there, and when that cannot be determined.
    private func lastState(of path: RemotePath) async -> RemoteFile? {
        guard let history = try? await revisions(of: path, limit: 1), history.isDeleted else {
            return nil
        }
        return history.revisions.first
    }

    @concurrent public func createFolder(_ path: RemotePath) async throws(StoreError) {
        guard !path.isRoot else {
            throw StoreError(.conflict(serverRevision: nil), during: .createFolder, at: path)
        }
        do throws(StoreError) {
            _ = try await call(
                Routes.createFolder, CreateFolderArg(path: paths.wire(path)),
                isRepeatable: false, during: .createFolder, at: path)
        } catch {
            let wasMade =
                error.isConflict
                && (error.followsUnclearAttempt || unconfirmed.has(.creation, at: path))
            if error.code.mayHideSuccess || wasMade, await entry(at: path) == .folder(path) {
                unconfirmed.forget(path)
                return
            }
            if error.code.mayHideSuccess { unconfirmed.note(.creation, at: path) }
            throw error
        }
    }

    /// What is at a path; nil for nothing, and when that cannot be determined.
    private func entry(at path: RemotePath) async -> RemoteEntry? {
        do throws(StoreError) {
            return .file(try await metadata(of: path))
        } catch {
            return error.code == .wrongKind ? .folder(path) : nil
        }
    }

    /// - Parameter modified: When it was last written, in seconds since 1970; nil for now.
    func commit(
        to path: RemotePath, _ mode: RemoteWriteMode, modified: Int? = nil
    ) -> CommitInfo {
        let wireMode: WriteMode =
            switch mode {
            case .create, .add: .add
            case .overwrite: .overwrite
            case .update(let revision, _): .update(revision.rawValue)
            }
        return CommitInfo(
            path: paths.wire(path), mode: wireMode,
            clientModified: modified.map { Timestamp(secondsSince1970: Int64($0)) },
            strictConflict: mode == .create)
    }
}
