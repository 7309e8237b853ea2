import FoundationEssentials

/// One write, from what is asked for to what has become of it.
///
/// Each refusal is followed by a look, and then by a weaker condition or an end: no request is sent
/// twice in hope.
struct WebDAVWrite: Sendable {
    let store: WebDAVStore
    let delivery: any WebDAVDelivery
    let path: RemotePath
    let operation: StoreError.Operation
    let abilities: WebDAVAbilities

    func run(_ mode: WriteMode) async throws(StoreError) -> RemoteFile {
        switch mode {
        case .add:
            // Before a large file travels for nothing, and where the server would not refuse.
            if !abilities.honoursIfNoneMatch || !delivery.isDirect {
                let there = try await look()
                guard there == .nothing else { return try await settle(there) }
            }
            return try await write(.absent, replacing: nil)
        case .overwrite:
            let there = try await look()
            switch there {
            case .nothing: return try await write(.none, replacing: nil)
            case .folder: return try await settle(there)
            case .file(let file):
                if try await delivery.isSame(as: file) { return file.file }
                return try await write(.none, replacing: file.file.revision)
            }
        case .update(let revision):
            return try await update(revision)
        }
    }
}

extension WebDAVWrite {
    private func look() async throws(StoreError) -> WebDAVResource {
        try await store.look(at: path, during: operation)
    }

    private func update(_ revision: Revision) async throws(StoreError) -> RemoteFile {
        let known = store.memory.file(at: path)
        let isKnownWeak = known?.file.revision == revision && known?.tag?.isWeak == true
        let content = store.memory.content(at: path, revision: revision)
        var changesNothing = false
        if let content { changesNothing = await delivery.hash == content.hash }
        let isCertain =
            revision.isEntityTag && revision.isSafeInField && abilities.honoursIfMatch
            && delivery.isDirect
        if isCertain, !isKnownWeak, !changesNothing, content?.isFresh != true {
            return try await write(.matches(revision), replacing: revision)
        }
        let there = try await look()
        guard there != .nothing else { return try await write(.absent, replacing: nil) }
        guard case .file(let file) = there, file.file.revision == revision else {
            return try await settle(there)
        }
        try await store.requireUnseenNothing(file, during: operation)
        if changesNothing { return file.file }
        return try await write(strongest(for: file), replacing: revision)
    }

    /// The strongest condition that may hold for a file that was just looked at.
    private func strongest(for file: WebDAVFile) -> WriteCondition {
        guard let tag = file.tag, file.file.revision.isSafeInField else { return .none }
        if abilities.honoursIfMatch, !tag.isWeak { return .matches(file.file.revision) }
        return abilities.honoursIf ? .matchesByIf(file.file.revision) : .none
    }

    /// - Parameter broken: How many attempts have left something that is now replaced.
    private func write(
        _ condition: WriteCondition, replacing old: Revision?, after broken: Int = 0
    ) async throws(StoreError) -> RemoteFile {
        let tag: EntityTag?
        do throws(StoreError) {
            tag = try await commitMakingFolders(condition)
        } catch {
            guard error.isUnmetCondition else { throw error }
            return try await goOn(after: error, to: condition, broken)
        }
        return try await confirm(tag, replacing: old)
    }

    /// What to do about a condition that was not met: there may be something else, or the server may
    /// not take the condition although it holds.
    private func goOn(
        after error: StoreError, to condition: WriteCondition, _ broken: Int
    ) async throws(StoreError) -> RemoteFile {
        let there = try await look()
        switch (condition, there) {
        case (.absent, .nothing):
            return try await write(.none, replacing: nil, after: broken)
        case (.matches, .nothing), (.matchesByIf, .nothing):
            return try await write(.absent, replacing: nil, after: broken)
        case (.matches(let revision), .file(let file)) where file.file.revision == revision:
            try await store.requireUnseenNothing(file, during: operation)
            return try await write(
                abilities.honoursIf ? .matchesByIf(revision) : .none, replacing: revision,
                after: broken)
        case (.matchesByIf(let revision), .file(let file)) where file.file.revision == revision:
            return try await write(.none, replacing: revision, after: broken)
        case (.none, _):
            throw error
        default:
            return try await settle(there, after: broken)
        }
    }

    /// Ends with what is there, if it is what was to be written; else with a conflict.
    ///
    /// What an attempt of our own has left, whose connection broke, is nobody's.
    private func settle(
        _ there: WebDAVResource, after broken: Int = 0
    ) async throws(StoreError) -> RemoteFile {
        guard case .file(let file) = there else {
            throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
        }
        if try await delivery.isSame(as: file) {
            await remember(file)
            return file.file
        }
        guard try await isLeftByUs(file) else {
            throw StoreError(
                .conflict(serverRevision: file.file.revision), during: operation, at: path)
        }
        guard broken < Self.brokenLimit else {
            throw StoreError(
                .offline, during: operation, at: path, detail: "each attempt breaks off")
        }
        return try await write(
            strongest(for: file), replacing: file.file.revision, after: broken + 1)
    }

    /// How often to go on after an attempt that broke off and has left something.
    private static let brokenLimit = 3

    private func isLeftByUs(_ file: WebDAVFile) async throws(StoreError) -> Bool {
        var writes = store.unsettled.writes(at: path)
        if delivery.attempts.mayHaveArrived, let write = await delivery.unsettledWrite {
            writes.append(write)
        }
        let hashes = writes.compactMap { $0.hash(ofFirst: file.file.byteCount) }
        guard !hashes.isEmpty else { return false }
        return hashes.contains(try await store.contentHash(of: path, during: operation))
    }

    /// Delivers; and once more when what was missing were the folders above.
    private func commitMakingFolders(
        _ condition: WriteCondition
    ) async throws(StoreError) -> EntityTag? {
        do throws(StoreError) {
            return try await delivery.commit(condition)
        } catch {
            // Servers differ in how they say that something is in the way, or missing.
            guard let status = error.webDAVStatus, [400, 403, 404, 405, 409, 500].contains(status)
            else { throw error }
            if try await store.makeMissingFolders(above: path, during: operation) {
                return try await delivery.commit(condition)
            }
            if try await look() == .folder {
                throw StoreError(
                    .conflict(serverRevision: nil), during: operation, at: path, underlying: error)
            }
            throw error
        }
    }
}

// MARK: - Afterwards

extension WebDAVWrite {
    /// Looks at what was written, for the facts that the answer to a write does not have.
    private func confirm(
        _ tag: EntityTag?, replacing old: Revision?
    ) async throws(StoreError) -> RemoteFile {
        guard case .file(let file) = try await look(), try await isOurs(file, tag) else {
            // Somebody wrote, or removed it, in the same moment: ours was there, and is there no more.
            // A revision that nothing else has makes the next update notice.
            let lost = tag?.revision ?? Revision(rawValue: "replaced at once")
            return RemoteFile(
                path: path, revision: lost, byteCount: delivery.byteCount,
                modified: store.configuration.clock.date())
        }
        if let old, file.file.revision == old {
            return try await writeOnceMore(file)
        }
        await remember(file)
        return file.file
    }

    /// A server may have given one tag in its answer and have another for the same bytes a moment
    /// later: then the bytes decide.
    private func isOurs(_ file: WebDAVFile, _ tag: EntityTag?) async throws(StoreError) -> Bool {
        guard file.file.byteCount == delivery.byteCount else { return false }
        guard let tag, tag.opaque != file.tag?.opaque else { return true }
        return try await delivery.isSame(as: file)
    }

    /// The server's tag is made of the second and the length, and is the same as before, so that
    /// nobody would notice the change: a second later the tag is another.
    private func writeOnceMore(_ file: WebDAVFile) async throws(StoreError) -> RemoteFile {
        try await store.configuration.clock.wait(.milliseconds(1100), during: operation, at: path)
        await delivery.prepareToRepeat()
        let tag = try await delivery.commit(.none)
        guard case .file(let again) = try await look(), try await isOurs(again, tag) else {
            return file.file
        }
        await remember(again)
        return again.file
    }

    private func remember(_ file: WebDAVFile) async {
        guard let hash = await delivery.hash else { return }
        store.memory.keep(
            WebDAVMemory.Content(
                revision: file.file.revision, hash: hash,
                isFresh: file.tag?.isCoarse(modified: file.file.modified) ?? true),
            at: path)
    }
}
