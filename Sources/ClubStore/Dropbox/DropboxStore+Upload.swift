import CurlNetworking
import DropboxAPI
public import FoundationEssentials
import Synchronization

extension DropboxStore {
    @MainActor public func upload(
        fileAt file: URL, to path: RemotePath, mode: RemoteWriteMode, record: URL?,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        StoreTransferTask(.upload, of: path, delegate: delegate) { [self] port throws(StoreError) in
            do throws(StoreError) {
                let sent = try await send(
                    fileAt: file, to: path, mode: mode, record: record, progress: port)
                unconfirmed.forget(path)
                return sent
            } catch {
                switch await unconfirmed(error, file, at: path, mode) {
                case .success(let arrived): return arrived
                case .failure(var error):
                    error = await addingServerRevision(to: error)
                    error.path = path
                    throw error
                }
            }
        }
    }

    /// Looks for a file that may have arrived all the same.
    private func unconfirmed(
        _ error: StoreError, _ file: URL, at path: RemotePath, _ mode: RemoteWriteMode
    ) async -> Result<RemoteFile, StoreError> {
        // Also when the task is cancelled: what was sent is to be known again.
        guard
            error.code.mayHideSuccess || error.isConflict || error.code == .timedOut
                || error.code == .cancelled || error.code == .withoutEffect,
            let write = await Task(operation: { await Self.write(of: file) }).value
        else { return .failure(error) }
        switch await outcome(of: write, at: path, mode: mode, after: error) {
        case .stored(let file): return .success(file)
        case .earlier(let there):
            var error = error
            error.code = .conflict(serverRevision: there.revision)
            return .failure(error)
        case .failed(let error): return .failure(error)
        }
    }

    private static func write(of file: URL) async -> UnconfirmedWrite? {
        guard let source = try? SourceFile(at: file),
            let hash = try? await source.contentHash().hexadecimal
        else { return nil }
        return UnconfirmedWrite(byteCount: source.byteCount, hash: hash, data: nil)
    }
}

extension DropboxStore {
    @concurrent private func send(
        fileAt url: URL, to path: RemotePath, mode: RemoteWriteMode, record: URL?,
        progress: TransferProgressPort
    ) async throws(StoreError) -> RemoteFile {
        guard !path.isRoot else {
            throw StoreError(.conflict(serverRevision: nil), during: .upload, at: path)
        }
        let source = try SourceFile(at: url)
        progress.update(0, ofExpected: source.byteCount)
        // Of a file that is sent in parts while they are on their way.
        let hashing = Task { () -> Result<ContentHash, StoreError> in
            do throws(StoreError) {
                return .success(try await source.contentHash())
            } catch {
                return .failure(error)
            }
        }
        defer { hashing.cancel() }
        let upload = FileUpload(
            store: self, source: source,
            commit: commit(to: path, mode, modified: source.modifiedSeconds), path: path,
            progress: progress, hashing: hashing)
        // Resumable uploads are sent in parts, unless one request is as good; those of an earlier run go on.
        let isBegun = record.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
        let wholeLimit =
            record == nil
            ? configuration.limits.wholeFileByteCount : chunkPacing.withLock(\.byteCount)
        let file =
            if source.byteCount == 0 || source.byteCount <= wholeLimit && !isBegun {
                try await upload.sendWhole()
            } else {
                try await upload.sendInChunks(record)
            }
        try source.requireUnchanged()
        let hash = try await upload.contentHash()
        let content = WriteEvidence.Content(byteCount: source.byteCount, hash: hash.hexadecimal)
        try await requireSamePlace(file, as: path, content, mode, during: .upload)
        guard file.byteCount == source.byteCount,
            file.contentHash.map({ $0 == hash.hexadecimal }) ?? true
        else {
            // Ours, and incorrect: it would be taken for another member's.
            if mode == .add || mode == .create, await isNew(file) {
                try? await delete(file.path, ifRevision: file.revision)
            }
            throw StoreError(
                .damaged, during: .upload, at: path,
                detail: "hash \(hash), the server has \(file.contentHash ?? "none")")
        }
        try await requireUploaded(file, content)
        return file
    }
}

/// One file on its way.
private struct FileUpload: Sendable {
    let store: DropboxStore
    let source: SourceFile
    let commit: CommitInfo
    let path: RemotePath
    let progress: TransferProgressPort
    let hashing: Task<Result<ContentHash, StoreError>, Never>

    func contentHash() async throws(StoreError) -> ContentHash {
        try await hashing.value.get()
    }

    func sendWhole() async throws(StoreError) -> RemoteFile {
        // The server refuses bytes that have come out wrong: once they are in the club, taking them away again may
        // fail, or be interrupted.
        var call = try DropboxCall(
            Routes.upload, UploadArg(commit: commit, contentHash: try await contentHash()))
        // With a create, the retry would conflict with the first attempt.
        call.isRepeatable = !commit.strictConflict
        let answer = try await send(
            call, .file(source.url), from: 0, policy: store.configuration.policy)
        return try file(in: answer)
    }

    /// - Parameter url: Where to store progress, if anywhere.
    func sendInChunks(_ url: URL?) async throws(StoreError) -> RemoteFile {
        let record = try await self.record(at: url)
        var upload = ChunkedUpload(
            byteCount: source.byteCount,
            chunkByteCount: store.chunkPacing.withLock(\.byteCount),
            goingOnFrom: record?.progress)
        progress.update(upload.range.lowerBound, ofExpected: source.byteCount)
        while true {
            let began = ContinuousClock.now
            let answer = await answer(to: upload)
            upload.chunkByteCount = store.chunkPacing.withLock { pacing in
                switch answer {
                case .started, .appended:
                    let range = upload.range
                    pacing.note(range.upperBound - range.lowerBound, in: began.duration(to: .now))
                default: break
                }
                return pacing.byteCount
            }
            switch upload.take(answer) {
            case .proceed:
                await record?.keep(upload.progress)
            case .done(let file):
                await record?.keep(nil)
                return file
            case .failed(let error):
                if error.isConflict {
                    // The session has all bytes: they can be finished under another name.
                    await record?.keep(upload.progress)
                } else if !error.code.leavesUploadOfUse {
                    await record?.keep(nil)
                }
                throw error
            }
        }
    }

    /// Whether the record matches this file is known only once the file is hashed.
    private func record(at url: URL?) async throws(StoreError) -> UploadRecord? {
        guard let url else { return nil }
        // A session gets its name when it is finished.
        return UploadRecord(
            file: url, contentHash: try await contentHash().hexadecimal,
            destination: path.parent?.string ?? "")
    }
}

extension FileUpload {
    private func answer(to upload: ChunkedUpload) async -> ChunkedUpload.Answer {
        do throws(StoreError) {
            switch upload.request {
            case .start:
                let answer = try await sendChunk(upload.range) { hash throws(StoreError) in
                    try DropboxCall(
                        Routes.uploadSessionStart, UploadSessionStartArg(contentHash: hash))
                }
                let result: UploadSessionStartResult = try store.decode(
                    answer.body, during: .upload, at: path)
                return .started(session: result.sessionID)
            case .append(let session, let offset, _):
                _ = try await sendChunk(upload.range) { hash throws(StoreError) in
                    try DropboxCall(
                        Routes.uploadSessionAppend,
                        UploadSessionAppendArg(cursor: cursor(session, offset), contentHash: hash))
                }
                return .appended
            case .finish(let session, let offset, _):
                let answer = try await sendChunk(upload.range) { hash throws(StoreError) in
                    try DropboxCall(
                        Routes.uploadSessionFinish,
                        UploadSessionFinishArg(
                            cursor: cursor(session, offset), commit: commit, contentHash: hash))
                }
                return .finished(try file(in: answer))
            case .lookUp:
                let found = try await store.metadata(of: path)
                let hash = try await contentHash()
                return .found(
                    found,
                    isSame: found.byteCount == source.byteCount
                        && found.contentHash == hash.hexadecimal)
            }
        } catch {
            return Self.answer(insteadOf: error)
        }
    }

    /// The session state that an error reports, if any.
    private static func answer(insteadOf error: StoreError) -> ChunkedUpload.Answer {
        guard let refusal = error.underlying as? DropboxRefusal else { return .failed(error) }
        if let offset = refusal.correctOffset { return .incorrectOffset(offset) }
        if refusal.tags.first == "content_hash_mismatch" { return .damaged(error) }
        let isAboutSession = refusal.tags.first != "path"
        let isGone = refusal.tags.contains("not_found") || refusal.tags.contains("closed")
        return isAboutSession && isGone ? .sessionGone(error) : .failed(error)
    }

    private func cursor(_ session: String, _ offset: Int64) -> UploadSessionCursor {
        UploadSessionCursor(sessionID: session, offset: UInt64(offset))
    }

    /// - Parameter makeCall: Makes the call for bytes of this hash, by which the server verifies
    ///   them.
    private func sendChunk(
        _ range: Range<Int64>, _ makeCall: (ContentHash) throws(StoreError) -> DropboxCall
    ) async throws(StoreError) -> HTTPLoader.Answer {
        // Every request of a session can be retried, since the server knows the offset; so
        // retry longer.
        var policy = store.configuration.policy
        policy.reconnections = 3
        let bytes = try await source.read(range)
        return try await send(
            try makeCall(ContentHash(of: bytes)), .data(bytes), from: range.lowerBound,
            policy: policy)
    }

    private func send(
        _ call: DropboxCall, _ body: HTTPLoader.Body, from offset: Int64, policy: RetryPolicy
    ) async throws(StoreError) -> HTTPLoader.Answer {
        let observers = observers(from: offset)
        return try await store.connection.send(
            during: .upload, at: path, policy: policy,
            makeCall: { call },
            perform: { [uploader = store.uploader] request throws(HTTPLoader.Failure) in
                try await uploader.load(
                    request, body: body, limit: DropboxConnection.answerLimit,
                    observers: observers)
            })
    }

    /// The session calls back on the main queue; byte counts restart with each request.
    private func observers(from offset: Int64) -> HTTPLoader.Observers {
        HTTPLoader.Observers(
            didSend: { [progress, expected = source.byteCount] total in
                progress.updateImmediately(offset + total, ofExpected: expected)
            },
            control: { [progress] task in progress.pacer.take(task) })
    }

    private func file(in answer: HTTPLoader.Answer) throws(StoreError) -> RemoteFile {
        let metadata: FileMetadata = try store.decode(answer.body, during: .upload, at: path)
        return try store.paths.file(metadata, askedFor: path, during: .upload)
    }
}
