import DropboxAPI

extension ClubAPI {
    func addUploadRoutes(to router: inout Router) {
        router.on(Routes.upload) { argument, request in try await upload(argument, request.body) }
        router.on(Routes.uploadSessionStart) { argument, request in
            try await startSession(argument, request.body)
        }
        router.on(Routes.uploadSessionAppend) { argument, request in
            try await append(argument, request.body)
        }
        router.on(Routes.uploadSessionFinish) { argument, request in
            try await finish(argument, request.body)
        }
    }

    // MARK: - In one request

    private func upload(_ argument: UploadArg, _ body: RequestBody) async throws -> FileMetadata {
        let file: StagedFile
        do throws(SystemError) {
            file = try StagedFile(in: club.access)
        } catch {
            throw try refusal(of: error) { UploadError.path($0, sessionID: "") }
        }
        do {
            try await read(body, for: file, orRefuse: UploadError.payloadTooLarge) {
                try append($0, to: file)
            }
        } catch let error as SystemError {
            throw try refusal(of: error) { UploadError.path($0, sessionID: "") }
        }
        if let expected = argument.contentHash, try file.contentHash() != expected {
            throw UploadError.contentHashMismatch
        }
        do throws(ChangeFailure<WriteError>) {
            return try await commit(file, as: argument.commit)
        } catch {
            switch error {
            case .refused(let refusal):
                let session = try await sessions.adopt(file)
                throw UploadError.path(refusal, sessionID: session)
            case .disk(let error): throw error
            }
        }
    }

    /// Makes a staged file durable and commits it.
    ///
    /// - Parameter id: For a restored file.
    func commit(
        _ file: StagedFile, as commit: CommitInfo, id: String? = nil
    ) async throws(ChangeFailure<WriteError>) -> FileMetadata {
        do throws(SystemError) {
            let target = await club.target(of: commit.path)
            // Whether the same bytes are already there is known only with their hash.
            if let key = target.key, let facts = target.facts, facts.contentHash == nil,
                facts.signature.size == file.size,
                let old = try? club.access.file(target.diskNames),
                let hash = try? FileReader.contentHash(of: old, expecting: facts.signature)
            {
                await club.note(hash, of: key, with: facts.signature)
            }
            try file.seal(
                modified: commit.clientModified, mode: permissions(of: target.diskNames))
        } catch {
            throw WriteError.failure(error)
        }
        let hash: ContentHash
        do throws(SystemError) { hash = try file.contentHash() } catch { throw .disk(error) }
        let committed = try await club.commit(file, hash: hash, as: commit, id: id)
        do throws(SystemError) {
            if committed.keptRevisions { try club.revisions?.flush() }
            try flush(committed.changedFolders)
        } catch {
            throw .disk(error)
        }
        return committed.metadata
    }

    /// The most that one request may carry, as in Dropbox; more comes in the parts of a session.
    private static let payloadByteLimit: UInt64 = 150 << 20

    /// Calls `take` with a body's consecutive chunks, which are for a file.
    ///
    /// - Parameter refusal: Thrown if the body is too large for one request; before any of it is read, if its length
    ///   is announced.
    private func read(
        _ body: RequestBody, for file: StagedFile, orRefuse refusal: any RouteError,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        guard body.announcedByteCount <= Self.payloadByteLimit else { throw refusal }
        try await expect(body.announcedByteCount, for: file)
        var byteCount: UInt64 = 0
        try await body.forEachPiece { piece in
            byteCount += UInt64(piece.count)
            if byteCount > Self.payloadByteLimit { throw refusal }
            try take(piece)
        }
    }

    /// Fails immediately when the disk has less space than announced, without what unused sessions hold, which nobody
    /// can see or remove, and without the photos that are kept as earlier revisions.
    ///
    /// - Parameter restored: The earlier revision that is written.
    func expect(
        _ byteCount: UInt64, for file: StagedFile, restoring restored: String? = nil
    ) async throws(SystemError) {
        do throws(SystemError) {
            return try file.expect(byteCount)
        } catch {
            guard error.isOutOfSpace else { throw error }
        }
        if await sessions.dropUnused() == .some, (try? file.expect(byteCount)) != nil { return }
        _ = club.revisions?.makeRoom(for: Int64(clamping: byteCount), restoring: restored)
        try file.expect(byteCount)
    }

    /// Appends bytes, in the place of kept photos if the disk is full: not every body says how long it is, and others
    /// write as well.
    private func append(
        _ bytes: UnsafeRawBufferPointer, to file: StagedFile
    ) throws(SystemError) {
        do throws(SystemError) {
            try file.append(bytes)
        } catch {
            guard error.isOutOfSpace,
                club.revisions?.makeRoom(for: Int64(bytes.count)) == .made
            else { throw error }
            try file.append(bytes)
        }
    }

    /// The permissions of the file to replace; the new one keeps them.
    private func permissions(of diskNames: [String]) -> UInt32? {
        guard !diskNames.isEmpty, let file = try? club.access.file(diskNames) else { return nil }
        return (try? FileStatus.of(file))?.permissions
    }

    /// Converts a disk error during an upload to the API's.
    private func refusal(
        of error: SystemError, _ word: (WriteError) -> any RouteError
    ) throws -> any RouteError {
        switch WriteError.failure(error) {
        case .refused(let refusal): return word(refusal)
        case .disk(let error): throw error
        }
    }

    // MARK: - In several

    private func startSession(
        _ argument: UploadSessionStartArg, _ body: RequestBody
    ) async throws -> UploadSessionStartResult {
        let isConcurrent = argument.kind == .concurrent
        if isConcurrent, argument.close {
            throw UploadSessionStartError.concurrentSessionCloseNotAllowed
        }
        let loan: UploadSessions.Loan
        do throws(SystemError) {
            loan = try await sessions.begin(isConcurrent: isConcurrent)
        } catch {
            throw try startRefusal(of: error)
        }
        do {
            if isConcurrent {
                try await body.forEachPiece { _ in
                    throw UploadSessionStartError.concurrentSessionDataNotAllowed
                }
            } else {
                try await read(
                    body, for: loan.file, orRefuse: UploadSessionStartError.payloadTooLarge
                ) {
                    try append($0, to: loan.file)
                }
            }
            if let expected = argument.contentHash, try loan.file.contentHash() != expected {
                throw UploadSessionStartError.contentHashMismatch
            }
        } catch {
            await sessions.end(loan)
            if let error = error as? SystemError { throw try startRefusal(of: error) }
            throw error
        }
        await sessions.giveBack(loan, close: argument.close)
        return UploadSessionStartResult(sessionID: loan.id)
    }

    /// Starting and appending have no error for a full disk; Dropbox reports it when finishing.
    private func startRefusal(of error: SystemError) throws -> any Error {
        error.isOutOfSpace ? UploadSessionStartError.other("insufficient_space") : error
    }

    private func append(
        _ argument: UploadSessionAppendArg, _ body: RequestBody
    ) async throws -> NoValue {
        let loan = try await borrow(argument.cursor) { $0 }
        if loan.isConcurrent {
            return try await appendConcurrently(argument, loan, body)
        }
        let start = loan.file.size
        do {
            try await receive(
                body, into: loan, expecting: argument.contentHash,
                mismatch: UploadSessionLookupError.contentHashMismatch,
                tooLarge: UploadSessionLookupError.tooLarge,
                payloadTooLarge: UploadSessionLookupError.payloadTooLarge)
        } catch {
            // After any failure the session has its previous length, and can be resumed.
            loan.file.truncate(to: start)
            await sessions.giveBack(loan)
            if let error = error as? SystemError, error.isOutOfSpace {
                throw UploadSessionLookupError.other("insufficient_space")
            }
            throw error
        }
        await sessions.giveBack(loan, close: argument.close)
        return NoValue()
    }

    private func appendConcurrently(
        _ argument: UploadSessionAppendArg, _ loan: UploadSessions.Loan, _ body: RequestBody
    ) async throws -> NoValue {
        let start = Int64(argument.cursor.offset)
        var end = start
        let hasher = ContentHasher()
        do {
            try await read(
                body, for: loan.file, orRefuse: UploadSessionLookupError.payloadTooLarge
            ) { piece in
                try loan.file.write(piece, at: end)
                hasher.update(piece)
                end += Int64(piece.count)
            }
        } catch let error as SystemError where error.isOutOfSpace {
            throw UploadSessionLookupError.other("insufficient_space")
        }
        if let expected = argument.contentHash, hasher.finish() != expected {
            throw UploadSessionLookupError.contentHashMismatch
        }
        if (end - start) % UploadSessions.concurrentUnit != 0, !argument.close {
            throw UploadSessionLookupError.concurrentSessionInvalidDataSize
        }
        await sessions.add(start..<end, to: loan)
        await sessions.giveBack(loan, close: argument.close)
        return NoValue()
    }

    private func finish(
        _ argument: UploadSessionFinishArg, _ body: RequestBody
    ) async throws -> FileMetadata {
        let loan = try await borrow(argument.cursor, toFinish: true) {
            UploadSessionFinishError.lookupFailed($0)
        }
        do {
            if let problem = await sessions.problemFinishing(loan, size: argument.cursor.offset) {
                throw problem
            }
            if loan.isConcurrent {
                try await body.forEachPiece { _ in
                    throw UploadSessionFinishError.concurrentSessionDataNotAllowed
                }
                try loan.file.adoptPieces()
            } else {
                let start = loan.file.size
                do {
                    try await receive(
                        body, into: loan, expecting: argument.contentHash,
                        mismatch: UploadSessionFinishError.contentHashMismatch,
                        tooLarge: UploadSessionFinishError.lookupFailed(.tooLarge),
                        payloadTooLarge: UploadSessionFinishError.payloadTooLarge)
                } catch {
                    loan.file.truncate(to: start)
                    throw error
                }
            }
            let metadata = try await change {
                () async throws(ChangeFailure<WriteError>) in
                try await commit(loan.file, as: argument.commit)
            } refusal: {
                UploadSessionFinishError.path($0)
            }
            await sessions.endCommitted(loan)
            return metadata
        } catch {
            await sessions.giveBack(loan)
            if let error = error as? SystemError, error.isOutOfSpace {
                throw UploadSessionFinishError.path(.insufficientSpace)
            }
            throw error
        }
    }

    private func borrow<Failure: RouteError>(
        _ cursor: UploadSessionCursor, toFinish: Bool = false,
        _ word: (UploadSessionLookupError) -> Failure
    ) async throws -> UploadSessions.Loan {
        do throws(UploadSessions.Refusal) {
            return try await sessions.borrow(cursor, toFinish: toFinish)
        } catch {
            switch error {
            case .lookup(let error): throw word(error)
            case .busy: throw Refusal.rateLimited(RateLimitError(reason: .tooManyWriteOperations))
            }
        }
    }

    /// Appends a request's body to a session's file.
    private func receive(
        _ body: RequestBody, into loan: UploadSessions.Loan, expecting hash: ContentHash?,
        mismatch: any RouteError, tooLarge: any RouteError, payloadTooLarge: any RouteError
    ) async throws {
        let hasher = hash.map { _ in ContentHasher() }
        try await read(body, for: loan.file, orRefuse: payloadTooLarge) { piece in
            if UInt64(loan.file.size) + UInt64(piece.count) > UploadSessions.fileByteLimit {
                throw tooLarge
            }
            try append(piece, to: loan.file)
            hasher?.update(piece)
        }
        if let hash, hasher?.finish() != hash { throw mismatch }
    }
}
