import DropboxAPI
import FoundationEssentials

/// One write, from the request to its confirmation.
///
/// Moves from one ``WriteState`` to the next until the file was seen on the server, or an error
/// says why not. No request is blindly repeated: after each rejection it checks the current state,
/// and then sends a weaker condition or stops.
struct WebDAVWrite: Sendable {
    let store: WebDAVStore
    let strategy: any WebDAVUploadStrategy
    let path: RemotePath
    let operation: StoreError.Operation
    let capabilities: ServerCapabilities
    let mode: RemoteWriteMode

    /// The lock held during the write, and counters for steps with a limited number of repetitions.
    private struct Progress {
        var lock: WebDAVLock?
        var leftovers = 0
        var refused: [WriteCondition] = []
        var waitsForAge = 0
        var hasWrittenTwice = false
    }

    func run() async throws(StoreError) -> RemoteFile {
        var progress = Progress()
        let result: Result<RemoteFile, StoreError>
        do throws(StoreError) {
            result = .success(try await run(&progress))
        } catch {
            result = .failure(error)
        }
        await progress.lock?.release()
        return try result.get()
    }

    private func run(_ progress: inout Progress) async throws(StoreError) -> RemoteFile {
        var state = WriteState.first(
            of: mode, isDirect: strategy.isDirect, capabilities: capabilities,
            isBaseCertain: await isBaseCertain())
        while true {
            switch state {
            case .inspecting:
                let there = try await look()
                if case .file(let file) = there, case .overwrite = mode,
                    try await strategy.isSame(as: file)
                {
                    state = .saved(file)
                } else {
                    state = .afterInspection(of: there, mode: mode)
                }
            case .verifyingBase(let file):
                if progress.lock == nil, needsLock(for: file),
                    let taken = try await WebDAVLock.take(path, in: store, during: operation)
                {
                    switch await taken.leaveNewFile(at: path) {
                    case .newFile: break  // someone has removed the file in between
                    // Nobody else can write from here on, so the check stays valid.
                    case .existingFile: progress.lock = taken
                    }
                    state = .inspecting
                } else {
                    state = try await verifyBase(file, &progress)
                }
            case .sending(let condition, let base):
                state = try await send(condition, replacing: base)
            case .conditionFailed(let error, let condition, let base):
                progress.refused.append(condition)
                guard progress.refused.count <= Self.refusalLimit else { throw error }
                if case .locked = condition {
                    // The lock has timed out: take another one, and check again.
                    await progress.lock?.release()
                    progress.lock = nil
                    state = .inspecting
                } else {
                    state = try await afterRefusal(error, condition, base, progress.refused)
                }
            case .unanswered(let error):
                guard let file = await arrivedFile() else { throw error }
                state = .saved(file)
            case .confirming(let tag, let base):
                state = try await confirm(tag, replacing: base, &progress)
            case .occupied(let there):
                state = try await resolve(there, &progress)
            case .saved(let file):
                return await remember(file)
            }
        }
    }

    /// How often a server may reject conditions that hold.
    private static let refusalLimit = 4
    /// How often to continue after an interrupted attempt that left something behind.
    private static let leftoverLimit = 3
    /// How often to wait until a tag is old enough to distinguish texts.
    private static let ageLimit = 3
    private static let waitForAge = Duration.milliseconds(1100)

    func look() async throws(StoreError) -> WebDAVResource {
        try await store.look(at: path, during: operation)
    }
}

// MARK: - Before

extension WebDAVWrite {
    /// The hash of the bytes that the new ones are based on, and their revision.
    private var base: WriteEvidence.Base? {
        guard case .update(let revision, let hash) = mode else { return nil }
        return store.base(revision, hash, at: path)
    }

    /// Whether the base's revision identifies a single text, so that a condition on it is
    /// sufficient.
    private func isBaseCertain() async -> Bool {
        guard let base else { return false }
        let known = store.memory.file(at: path)
        if known?.file.revision == base.revision, known?.tag?.isWeak == true { return false }
        // Checked first, so that an unchanged text is not sent.
        let isUnchanged = await changesNothing(base)
        return !isUnchanged && isCertain(base)
    }

    private func changesNothing(_ base: WriteEvidence.Base) async -> Bool {
        guard let hash = base.hash else { return false }
        return await strategy.hash == hash
    }

    private func isCertain(_ base: WriteEvidence.Base) -> Bool {
        store.isCertain(base, at: path)
    }

    /// Whether a condition on the revision would not protect another member's text.
    private func needsLock(for file: WebDAVFile) -> Bool {
        guard capabilities.locks == true else { return false }
        guard capabilities.honorsIfMatch, let base else { return true }
        // A large file can wait until its tag is certain. (Apache and lighttpd do not always accept
        // a `MOVE` with a lock token.)
        return strategy.isDirect && file.isFresh && !isCertain(base)
    }

    /// Makes sure that the file has the text that the new one is based on.
    private func verifyBase(
        _ file: WebDAVFile, _ progress: inout Progress
    ) async throws(StoreError) -> WriteState {
        guard let base else { return .occupied(.file(file)) }
        let condition = strongest(for: file, under: progress.lock)
        if !isCertain(base) {
            if file.agesSoon, condition.revision != nil,
                progress.waitsForAge < Self.ageLimit
            {
                // Another write in this second would not change the tag. Soon it will.
                progress.waitsForAge += 1
                try await store.configuration.clock.wait(
                    Self.waitForAge, during: operation, at: path)
                return .inspecting
            }
            guard let expected = base.hash else {
                return .sending(condition, replacing: base)
            }
            let actual = try await store.contentHash(of: path, during: operation)
            guard actual == expected else { return .occupied(.file(file)) }
            store.memory.keep(
                .init(revision: base.revision, hash: actual, isCertain: !file.isFresh), at: path)
        }
        return await changesNothing(base)
            ? .saved(file) : .sending(condition, replacing: base)
    }

    /// The strongest condition that may hold for a file that was just checked.
    private func strongest(for file: WebDAVFile, under lock: WebDAVLock?) -> WriteCondition {
        if let lock { return .locked(lock.token) }
        guard let tag = file.tag, file.file.revision.isSafeInField else { return .none }
        if capabilities.honorsIfMatch, !tag.isWeak { return .matches(file.file.revision) }
        return capabilities.honorsIf ? .matchesByIf(file.file.revision) : .none
    }
}

// MARK: - Sending

extension WebDAVWrite {
    private func send(
        _ condition: WriteCondition, replacing base: WriteEvidence.Base?
    ) async throws(StoreError) -> WriteState {
        do throws(StoreError) {
            let tag = try await commitMakingFolders(condition, isNew: base == nil)
            return .confirming(tag, replacing: base)
        } catch {
            if error.isPreconditionFailed {
                return .conditionFailed(error, condition, replacing: base)
            }
            // The staged file to move is gone, although it was accepted.
            if error.code == .withoutEffect { return .confirming(nil, replacing: base) }
            // A cancelled caller does not wait.
            guard strategy.attempts.mayHaveArrived, error.code != .cancelled else { throw error }
            return .unanswered(error)
        }
    }

    /// Above this, a look at the folder costs less than bytes that are sent and refused.
    private static let cheapByteCount: Int64 = 256 << 10

    /// Commits; and once more after creating missing parent folders.
    private func commitMakingFolders(
        _ condition: WriteCondition, isNew: Bool
    ) async throws(StoreError) -> EntityTag? {
        if isNew, strategy.isDirect, strategy.byteCount > Self.cheapByteCount {
            _ = try await store.makeMissingFolders(above: path, during: operation)
        }
        do throws(StoreError) {
            return try await strategy.commit(condition)
        } catch {
            // Servers use different statuses for a conflict or a missing parent.
            guard let status = error.webDAVStatus, [400, 403, 404, 405, 409, 500].contains(status)
            else { throw error }
            if try await store.makeMissingFolders(above: path, during: operation) == .made {
                return try await strategy.commit(condition)
            }
            if try await look() == .folder {
                throw StoreError(
                    .conflict(serverRevision: nil), during: operation, at: path, underlying: error)
            }
            throw error
        }
    }

    /// - Parameter refused: The conditions that were rejected so far.
    private func afterRefusal(
        _ error: StoreError, _ condition: WriteCondition, _ base: WriteEvidence.Base?,
        _ refused: [WriteCondition]
    ) async throws(StoreError) -> WriteState {
        let there = try await look()
        guard
            let next = WriteState.afterRefusal(
                of: condition, there: there, isDirect: strategy.isDirect,
                capabilities: capabilities, refused: refused)
        else {
            guard there == .nothing else { throw error }
            throw StoreError(
                .refused, during: operation, at: path,
                detail: "412, although nothing is there", underlying: error)
        }
        guard case .sending(let weaker, _) = next else { return next }
        switch there {
        case .nothing where weaker == .none:
            return try await requireNothing(error) ?? next
        case .file(let file):
            return try await weaken(to: weaker, on: file, base) ?? .occupied(there)
        case .nothing, .folder:
            return next
        }
    }

    /// Sends a weaker condition, or none, if the file still has the text that is to be replaced. The tag that a look
    /// has shown may be another text's, or of an earlier moment.
    ///
    /// - Returns: Nil if it has another one, or if that cannot be known.
    private func weaken(
        to weaker: WriteCondition, on file: WebDAVFile, _ base: WriteEvidence.Base?
    ) async throws(StoreError) -> WriteState? {
        let own = self.base
        let isOwn = own != nil && own?.revision == base?.revision
        let hash = base?.hash ?? (isOwn ? own?.hash : nil)
        let mustRead = weaker == .none || isOwn && own.map(isCertain) == false && hash != nil
        if mustRead {
            guard let hash,
                try await store.contentHash(of: path, during: operation) == hash
            else { return nil }
        }
        return .sending(weaker, replacing: .init(revision: file.file.revision, hash: hash))
    }

    /// Makes sure that a request for the bytes finds nothing at the path either.
    ///
    /// - Returns: What to do about a file that is there all the same; nil if there is none.
    /// - Throws: `.conflict` for a file that only this request has found.
    private func requireNothing(_ error: StoreError) async throws(StoreError) -> WriteState? {
        if try await store.hasNoBytes(at: path, during: operation) { return nil }
        // The listing lags behind.
        try await store.configuration.clock.wait(Self.waitForAge, during: operation, at: path)
        let there = try await look()
        guard there == .nothing else { return .occupied(there) }
        throw StoreError(
            .conflict(serverRevision: nil), during: operation, at: path, underlying: error)
    }
}

// MARK: - What is in the way

extension WebDAVWrite {
    /// Succeeds if the existing file is what was to be written; else a conflict.
    ///
    /// Remains of our own interrupted attempt belong to nobody else.
    private func resolve(
        _ there: WebDAVResource, _ progress: inout Progress
    ) async throws(StoreError) -> WriteState {
        guard case .file(let file) = there else {
            throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
        }
        let conflict = StoreError(
            .conflict(serverRevision: file.file.revision), during: operation, at: path)
        if try await strategy.isSame(as: file) {
            // The same bytes from someone else conflict only with a create.
            if mode == .create, try await hashLeftByUs(in: file) == nil {
                var conflict = conflict
                conflict.hasSameBytes = true
                throw conflict
            }
            return .saved(file)
        }
        guard let hash = try await hashLeftByUs(in: file) else { throw conflict }
        guard progress.leftovers < Self.leftoverLimit else {
            throw StoreError(
                .offline, during: operation, at: path, detail: "each attempt breaks off")
        }
        progress.leftovers += 1
        return .sending(
            strongest(for: file, under: progress.lock),
            replacing: .init(revision: file.file.revision, hash: hash))
    }

    /// The hash of the file's bytes, if they are what an attempt by this member has left, complete or in part; else
    /// nil.
    private func hashLeftByUs(in file: WebDAVFile) async throws(StoreError) -> String? {
        let count = file.file.byteCount
        let writes = store.unconfirmed.writes(
            at: path, for: mode, hash: await strategy.hash, found: count)
        var hashes = writes.compactMap { $0.hash(ofFirst: count) }
        if strategy.attempts.mayHaveArrived, let hash = await strategy.hash(ofFirst: count) {
            hashes.append(hash)
        }
        if !hashes.isEmpty {
            let found = try await store.contentHash(of: path, during: operation)
            if hashes.contains(found) { return found }
        }
        // Complete, so that of earlier runs only the same text counts: another one is a note like any other.
        return try await hashOfChangedForm(
            in: file,
            ofAny: store.unconfirmed.writes(
                at: path, for: mode, hash: await strategy.hash, found: .max))
    }

    /// The hash of the file's bytes, if one of these writes came out with other line ends: some gateways change what
    /// they take for text. Words that are not ours are somebody else's.
    private func hashOfChangedForm(
        in file: WebDAVFile, ofAny writes: [UnconfirmedWrite]
    ) async throws(StoreError) -> String? {
        let texts = writes.compactMap(\.data).filter {
            !$0.isEmpty && file.file.byteCount <= Int64($0.count) * 2 + 16
        }
        guard !texts.isEmpty else { return nil }
        let found: Data
        do throws(StoreError) {
            found = try await store.fetch(path).data
        } catch {
            guard error.code == .tooLarge || error.code == .notFound else { throw error }
            return nil
        }
        let isOurs = texts.contains { $0.withPlainLineEnds == found.withPlainLineEnds }
        return isOurs ? ContentHash(of: found).hexadecimal : nil
    }
}

// MARK: - Afterwards

extension WebDAVWrite {
    /// The file, if it holds these bytes although the server did not confirm it.
    private func arrivedFile() async -> WebDAVFile? {
        guard case .file(let seen) = await store.lookOnce(at: path, during: operation),
            let file = try? await store.measured(seen, during: operation),
            file.canHave(strategy.byteCount),
            (try? await strategy.isSame(as: file)) == true
        else { return nil }
        return file
    }

    /// Checks what was written. See ``WriteEvidence``.
    private func confirm(
        _ tag: EntityTag?, replacing base: WriteEvidence.Base?, _ progress: inout Progress
    ) async throws(StoreError) -> WriteState {
        var found: WriteEvidence.Content?
        var file: WebDAVFile?
        do throws(StoreError) {
            switch try await look() {
            case .folder:
                throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
            case .file(let now):
                file = now
                found = .init(
                    byteCount: now.knownByteCount ?? strategy.byteCount,
                    hash: try await hash(of: now, tag, replacing: base))
            case .nothing: break
            }
        } catch {
            // It is stored, as far as the server has said: a later attempt must recognize it.
            strategy.attempts.noteThatOneMayHaveArrived()
            var error = error
            // These requests have no condition that could fail.
            if error.webDAVStatus == 412 { error.code = .badAnswer }
            throw error
        }
        let sent = WriteEvidence.Content(byteCount: strategy.byteCount, hash: await strategy.hash)
        let evidence = WriteEvidence(
            sent: sent, found: found, revision: file?.file.revision, base: base,
            areRevisionsExact: capabilities.hasExactTags == true)
        guard evidence == .stored, let file else {
            // The server reported success, and may write it later.
            strategy.attempts.noteThatOneMayHaveArrived()
            throw await contradiction(evidence, file, tag)
        }
        guard base?.revision == file.file.revision, !progress.hasWrittenTwice else {
            return .saved(file)
        }
        progress.hasWrittenTwice = true
        return try await writeOnceMore(file, under: progress.lock)
    }

    /// The hash of the current file: known by the server's tag if that is proof, else read. For
    /// large files another length or revision is sufficient.
    private func hash(
        of file: WebDAVFile, _ tag: EntityTag?, replacing base: WriteEvidence.Base?
    ) async throws(StoreError) -> String? {
        guard file.canHave(strategy.byteCount) else { return nil }
        let isProof =
            capabilities.hasExactTags == true && tag != nil && tag?.opaque == file.tag?.opaque
        if isProof { return await strategy.hash }
        let isLarge = strategy.byteCount > store.configuration.limits.directByteCount
        if isLarge, file.file.revision != base?.revision { return await strategy.hash }
        return try await store.contentHash(of: path, during: operation)
    }

    private func contradiction(
        _ evidence: WriteEvidence, _ file: WebDAVFile?, _ tag: EntityTag?
    ) async -> StoreError {
        guard evidence == .replaced, let file else {
            return StoreError(
                .withoutEffect, during: operation, at: path,
                detail: "a yes, and nothing was stored")
        }
        if !file.canHave(strategy.byteCount), file.file.byteCount < strategy.byteCount,
            (try? await hashLeftByUs(in: file)) != nil
        {
            return StoreError(
                .damaged, during: operation, at: path,
                detail: "\(file.file.byteCount) of \(strategy.byteCount) bytes were stored")
        }
        if await strategy.payload.isChangedForm(of: file) {
            return StoreError(
                .damaged, during: operation, at: path, detail: "stored with other line ends")
        }
        // The tag of the response is that of the file: nobody has written in between.
        if let tag, !tag.isWeak, tag == file.tag, capabilities.hasExactTags == true {
            return StoreError(
                .damaged, during: operation, at: path, detail: "stored with other bytes")
        }
        var error = StoreError(
            .conflict(serverRevision: file.file.revision), during: operation, at: path,
            detail: "other bytes than were sent, or replaced in the same moment")
        error.wasAccepted = true
        return error
    }

    /// The server's tag depends on the second and the length, and is the same as before, so that the change
    /// would go unnoticed: a second later the tag differs.
    private func writeOnceMore(
        _ file: WebDAVFile, under lock: WebDAVLock?
    ) async throws(StoreError) -> WriteState {
        try await store.configuration.clock.wait(Self.waitForAge, during: operation, at: path)
        guard case .file(let now) = try await look(), try await strategy.isSame(as: now) else {
            throw StoreError(
                .conflict(serverRevision: file.file.revision), during: operation, at: path,
                detail: "replaced within a second")
        }
        await strategy.prepareToRepeat()
        return .sending(
            strongest(for: now, under: lock),
            replacing: .init(revision: now.file.revision, hash: await strategy.hash))
    }

    private func remember(_ file: WebDAVFile) async -> RemoteFile {
        let hash = await strategy.hash
        if let hash {
            let isCertain = capabilities.hasExactTags == true || !file.isFresh
            store.memory.keep(
                .init(revision: file.file.revision, hash: hash, isCertain: isCertain), at: path)
        }
        var file = file.file
        file.contentHash = hash
        return file
    }
}
