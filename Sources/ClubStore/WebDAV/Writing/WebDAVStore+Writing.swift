import DropboxAPI
public import FoundationEssentials

extension WebDAVStore {
    @concurrent public func put(
        _ data: Data, at path: RemotePath, mode: RemoteWriteMode
    ) async throws(StoreError) -> RemoteFile {
        let payload = WebDAVPayload(.data(data), of: self, to: path, during: .put)
        let writing = try await chooseWriting(
            of: Int64(data.count), to: path, mode: mode, during: .put)
        let strategy: any WebDAVUploadStrategy =
            switch writing {
            case .direct: DirectUploadStrategy(payload)
            case .staged: StagedUploadStrategy(payload)
            }
        return try await write(strategy, at: path, mode: mode, during: .put)
    }

    /// Where the bytes of a write are sent.
    enum WritingMode: Sendable {
        /// To the file itself.
        case direct
        /// To a temporary name, from which a `MOVE` brings them to the file.
        case staged
    }

    /// Chooses by what the server can do, which may have to be probed.
    func chooseWriting(
        of byteCount: Int64, to path: RemotePath, mode: RemoteWriteMode,
        during operation: StoreError.Operation
    ) async throws(StoreError) -> WritingMode {
        if nextcloud != nil || path.isRoot { return .direct }
        var isStaged = byteCount > configuration.limits.directByteCount
        do throws(StoreError) {
            if !isStaged, mode == .add || mode == .create {
                // If a `PUT` would replace anything, a `MOVE` can be prevented from it.
                isStaged = try await !currentCapabilities(during: operation).honorsIfNoneMatch
            }
            guard isStaged else { return .direct }
            return try await probeMove(to: path, during: operation) == .supported
                ? .staged : .direct
        } catch {
            throw error.about(path)
        }
    }

    func write(
        _ strategy: any WebDAVUploadStrategy, at path: RemotePath, mode: RemoteWriteMode,
        during operation: StoreError.Operation
    ) async throws(StoreError) -> RemoteFile {
        guard !path.isRoot else {
            throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
        }
        let base = baseText(of: mode, at: path)
        // Large files appear completely; whether one did is checked afterwards.
        let sent =
            strategy.isDirect || operation == .put
            ? await strategy.unconfirmedWrite(replacing: base) : nil
        if let sent { unconfirmed.begin(sent, at: path) }
        do throws(StoreError) {
            let write = WebDAVWrite(
                store: self, strategy: strategy, path: path, operation: operation,
                capabilities: try await currentCapabilities(during: operation), mode: mode)
            let file = try await write.run()
            unconfirmed.forget(path)
            return file
        } catch {
            await strategy.abandon(after: error)
            if error.isConflict {
                // The state of the path is known from now on.
                unconfirmed.forget(path)
            } else if strategy.attempts.mayHaveArrived {
                if let write = await strategy.unconfirmedWrite(replacing: base) {
                    unconfirmed.note(write, at: path)
                }
            } else if let sent {
                unconfirmed.drop(sent, at: path)
            }
            throw error.about(path)
        }
    }

    /// What a member has seen of a file: the revision, with the hash of its bytes or, if unknown,
    /// of those last read or written under that revision.
    func base(_ revision: Revision, _ hash: String?, at path: RemotePath) -> WriteEvidence.Base {
        .init(
            revision: revision,
            hash: hash ?? memory.content(at: path, revision: revision)?.hash)
    }

    /// The text that a write replaces, if it is small, and was read, written or noted by this store.
    func baseText(of mode: RemoteWriteMode, at path: RemotePath) -> Data? {
        guard case .update(let revision, let contentHash) = mode,
            let hash = base(revision, contentHash, at: path).hash
        else { return nil }
        return memory.text(withHash: hash)
    }

    /// Whether the base's revision identifies a single text, so that a condition on it is
    /// sufficient.
    func isCertain(_ base: WriteEvidence.Base, at path: RemotePath) -> Bool {
        if capabilities.known?.hasExactTags == true, base.revision.isEntityTag { return true }
        // It may have been read before that was known.
        if capabilities.known?.hasReliableTimes == false { return false }
        let known = memory.content(at: path, revision: base.revision)
        return known?.isCertain == true && known?.hash == base.hash
    }

    /// Whether a request for the bytes finds nothing at a path. A listing alone may be of an earlier moment.
    func hasNoBytes(
        at path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            _ = try await contentHash(of: path, during: operation)
            return false
        } catch {
            guard error.webDAVStatus == 404 || error.webDAVStatus == 410 else { throw error }
            return true
        }
    }

    /// The hash of a file's current bytes on the server, in Dropbox's form.
    func contentHash(
        of path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> String {
        let sink = HashingSink()
        var request = WebDAVRequest.get(
            address.url(of: path), of: memory.file(at: path)?.knownByteCount)
        // Not the bytes of an earlier moment.
        request.fields["Cache-Control"] = "no-cache"
        let message = request
        _ = try await connection.send(
            during: operation, at: path, through: downloader,
            observers: HTTPLoader.Observers(sink: sink)
        ) { message }
        return sink.finish()
    }
}
