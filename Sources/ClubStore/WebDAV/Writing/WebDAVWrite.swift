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
    struct Progress {
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
    static let refusalLimit = 4
    /// How often to continue after an interrupted attempt that left something behind.
    static let leftoverLimit = 3
    /// How often to wait until a tag is old enough to distinguish texts.
    static let ageLimit = 3
    static let waitForAge = Duration.milliseconds(1100)

    func look() async throws(StoreError) -> WebDAVResource {
        try await store.look(at: path, during: operation)
    }
}

// MARK: - Before

extension WebDAVWrite {
    /// The hash of the bytes that the new ones are based on, and their revision.
    var base: WriteEvidence.Base? {
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

    func isCertain(_ base: WriteEvidence.Base) -> Bool {
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
    func strongest(for file: WebDAVFile, under lock: WebDAVLock?) -> WriteCondition {
        if let lock { return .locked(lock.token) }
        guard let tag = file.tag, file.file.revision.isSafeInField else { return .none }
        if capabilities.honorsIfMatch, !tag.isWeak { return .matches(file.file.revision) }
        return capabilities.honorsIf ? .matchesByIf(file.file.revision) : .none
    }
}
