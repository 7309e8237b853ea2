public import ClubStore
internal import FoundationEssentials

/// Sends the changes in the outbox to the club, one by one, in order.
///
/// A change leaves the outbox only when the store has confirmed it. A refused change stays, with the reason,
/// and blocks only the changes based on it.
public struct OutboxSender: Sendable {
    private let copy: LocalCopy
    private let store: any RemoteStore
    /// The error message stored with a change.
    private let sentence: @Sendable (StoreError) -> String

    public init(
        _ copy: LocalCopy, to store: any RemoteStore,
        sentence: @escaping @Sendable (StoreError) -> String = { $0.description }
    ) {
        self.copy = copy
        self.store = store
        self.sentence = sentence
    }

    /// After this many failures a change no longer blocks the others.
    private static let attemptLimit = 5

    public enum Outcome: Sendable {
        /// There is nothing left to send.
        case finished
        /// Another program is sending.
        case sentElsewhere
        /// Everything was sent except changes of files that another member keeps locked, and those that
        /// follow them.
        case blocked
    }

    /// Sends all changes that can be sent.
    ///
    /// - Parameters:
    ///   - willSend: Called before each change is sent, once it is marked as being sent.
    ///   - didHappen: Called for each change, in order.
    /// - Throws: `StoreError` if the club becomes unreachable; `LibraryError`. Remaining changes wait.
    @discardableResult
    @concurrent public func run(
        willSend: @Sendable () async -> Void = {},
        _ didHappen: @Sendable (SyncEvent) async -> Void = { _ in }
    ) async throws -> Outcome {
        guard let lock = try OutboxLock(of: copy) else { return .sentElsewhere }
        defer { withExtendedLifetime(lock) {} }
        try copy.recoverInterrupted()
        var locked: [WaitingChange] = []
        while let next = try nextChange(without: locked) {
            // It may have been removed in between.
            guard let change = try copy.beginSending(next.id) else { continue }
            await willSend()
            do throws(StoreError) {
                let event = try await send(change)
                await didHappen(event)
            } catch  where error.code == .locked {
                // The error concerns neither the change nor the club; retry on the next run.
                try copy.endSending(change.id)
                locked.append(change)
            } catch {
                if let failure = error.underlying as? LibraryError {
                    // Of this computer, perhaps after the club has taken it: the change waits, and the club is as good
                    // as before.
                    try copy.endSending(change.id)
                    throw failure
                }
                let isHopeless =
                    change.attempts >= Self.attemptLimit
                    && (error.code == .serverError || error.code == .badAnswer)
                guard !error.isConnectionFailure || isHopeless else {
                    try copy.endSending(change.id)
                    throw error
                }
                try copy.endSending(change.id, problem: sentence(error))
                await didHappen(.refused(change, error))
            }
        }
        return locked.isEmpty ? .finished : .blocked
    }

    /// - Parameter locked: Changes to skip, with all others that use one of their names.
    private func nextChange(without locked: [WaitingChange]) throws -> WaitingChange? {
        let names = Set(locked.flatMap { [$0.path, $0.destination].compactMap { $0 } })
        return try copy.waitingChanges().first { change in
            if case .change = change.base { return false }
            guard !names.contains(change.path),
                change.destination.map({ names.contains($0) }) != true
            else { return false }
            return change.problem == nil && !change.isSending
        }
    }

    private func send(_ change: WaitingChange) async throws(StoreError) -> SyncEvent {
        switch change.action {
        case .write(let mode): try await write(change, mode)
        case .move(let destination): try await move(change, to: destination)
        case .delete: try await delete(change)
        }
    }

    /// Converts errors of the disk to the store's: either way the change waits.
    private func onDisk<Result>(
        _ path: RemotePath, _ body: () throws -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw StoreError(
                .fileUnwritable, during: .put, at: path, detail: "\(error)",
                underlying: error as? LibraryError ?? .unwritable("\(error)"))
        }
    }
}

// MARK: - Texts

extension OutboxSender {
    private func write(
        _ change: WaitingChange, _ mode: RemoteWriteMode
    ) async throws(StoreError) -> SyncEvent {
        let stored = try onDisk(change.path) { try copy.text(ofChange: change.id) }
        guard let text = stored else {
            throw StoreError(
                .fileUnreadable, during: .put, at: change.path, detail: "its text is missing here")
        }
        var careful = mode
        if mode == .overwrite, let theirs = try await otherText(at: change.path) {
            // The file has changed meanwhile; save the replaced text as a version first.
            careful = .update(theirs.file.revision, contentHash: theirs.file.contentHash)
        }
        if case .update(let revision, let hash) = careful {
            let base = try onDisk(change.path) {
                try copy.baseText(at: change.path, revision: revision, hash: hash)
            }
            if let base { store.noteBase(base) }
        }
        do throws(StoreError) {
            let file = try await store.put(text, at: change.path, mode: careful)
            try onDisk(change.path) { try copy.complete(change, with: file) }
            return .sent(change, file: file)
        } catch {
            guard error.isConflict else { throw error }
            return try await resolveConflict(change, mode, text, hasSameBytes: error.hasSameBytes)
        }
    }

    /// Another member has changed the file: both texts are sent, merged if possible.
    private func resolveConflict(
        _ change: WaitingChange, _ mode: RemoteWriteMode, _ text: Data, hasSameBytes: Bool
    ) async throws(StoreError) -> SyncEvent {
        if change.attempts > 1 || hasSameBytes, let theirs = try await otherText(at: change.path),
            theirs.data == text
        {
            // An attempt before has arrived, and this computer could not record it; or a gateway has performed this
            // one twice.
            try onDisk(change.path) { try copy.complete(change, with: theirs.file) }
            return .sent(change, file: theirs.file)
        }
        for _ in 0..<3 {
            guard case .update(let revision, let hash) = mode,
                let theirs = try await otherText(at: change.path)
            else { break }
            if theirs.data == text {
                try onDisk(change.path) { try copy.complete(change, with: theirs.file) }
                return .sent(change, file: theirs.file)
            }
            let base = try onDisk(change.path) {
                try copy.baseText(at: change.path, revision: revision, hash: hash)
            }
            guard let base, let merge = LineMerge(base: base, own: text, other: theirs.data)
            else { break }
            do throws(StoreError) {
                let file = try await store.put(
                    merge.text, at: change.path,
                    mode: .update(theirs.file.revision, contentHash: theirs.file.contentHash))
                try onDisk(change.path) {
                    try copy.complete(change, with: file, data: merge.text)
                }
                return .merged(change, file: file)
            } catch {
                // Another change came first again.
                guard error.isConflict else { throw error }
            }
        }
        return try await keepBoth(change, text)
    }

    /// The current file, also stored among the versions; nil if it cannot be read as a file.
    private func otherText(
        at path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data)? {
        do throws(StoreError) {
            let found = try await store.fetch(path)
            try onDisk(path) {
                try copy.record([.file(found.file)])
                try copy.keep([found])
            }
            return found
        } catch {
            guard !error.isConnectionFailure else { throw error }
            return nil
        }
    }

    private func keepBoth(
        _ change: WaitingChange, _ text: Data
    ) async throws(StoreError) -> SyncEvent {
        for number in 1...CopyName.limit {
            let path = try copyPath(of: change.path, number)
            do throws(StoreError) {
                let file = try await store.put(text, at: path, mode: .add)
                try onDisk(path) { try copy.complete(change, with: file) }
                return .keptBoth(change, file: file)
            } catch {
                // What a server changes it would change under each name.
                guard error.isNameTaken, number < CopyName.limit else { throw error }
            }
        }
        throw StoreError(.conflict(serverRevision: nil), during: .put, at: change.path)
    }

    private func copyPath(
        of path: RemotePath, _ number: Int
    ) throws(StoreError) -> RemotePath {
        try (path.parent ?? .root).appending(CopyName.of(path.name, number: number))
    }
}

// MARK: - Names

extension OutboxSender {
    private func move(
        _ change: WaitingChange, to destination: RemotePath
    ) async throws(StoreError) -> SyncEvent {
        // The source file no longer exists.
        guard change.base != nil else {
            try onDisk(change.path) { try copy.drop(change) }
            return .gone(change)
        }
        var target = destination
        for number in 0...CopyName.limit {
            if number > 0 { target = try copyPath(of: destination, number) }
            do throws(StoreError) {
                let entry = try await store.move(change.path, to: target)
                let (file, isSeen) = await compare(entry.file, with: change)
                try onDisk(target) { try copy.complete(change, with: file, isSeen: isSeen) }
                guard let file, number > 0 else { return .sent(change, file: file) }
                return .keptBoth(change, file: file)
            } catch {
                switch error.code {
                case .conflict where number < CopyName.limit: continue
                case .notFound: return try await resolveLostMove(change, to: destination)
                default: throw error
                }
            }
        }
        throw StoreError(.conflict(serverRevision: nil), during: .move, at: destination)
    }

    /// Whether the moved file is the one that this computer has seen: another member may have changed it
    /// before. An editor may be open that holds what was seen, so this is asked of every move.
    ///
    /// - Returns: The file, with its hash if it was read.
    private func compare(
        _ file: RemoteFile?, with change: WaitingChange
    ) async -> (file: RemoteFile?, isSeen: Bool) {
        guard let file, case .state(let revision, let hash) = change.base else {
            return (file, true)
        }
        if let hash, let current = file.contentHash { return (file, current == hash) }
        guard
            let base = try? copy.baseText(at: change.path, revision: revision, hash: hash),
            let found = try? await store.fetch(file.path)
        else { return (file, false) }
        try? copy.keep([found])
        return (found.file, found.data == base)
    }

    /// The file is not at its old path: moved by an attempt whose response was lost, or deleted.
    private func resolveLostMove(
        _ change: WaitingChange, to destination: RemotePath
    ) async throws(StoreError) -> SyncEvent {
        try await requireNothing(at: change.path, during: .move)
        var file: RemoteFile?
        if change.attempts > 1 {
            do throws(StoreError) {
                file = try await store.metadata(of: destination)
            } catch {
                guard error.code == .notFound || error.code == .wrongKind else { throw error }
            }
        }
        let (current, isSeen) = await compare(file, with: change)
        try onDisk(destination) { try copy.complete(change, with: current, isSeen: isSeen) }
        return current == nil ? .gone(change) : .sent(change, file: current)
    }

    private func delete(_ change: WaitingChange) async throws(StoreError) -> SyncEvent {
        // Deletes only the revision that was seen, never another file with its name.
        guard case .state(let revision, let hash) = change.base else {
            try onDisk(change.path) { try copy.drop(change) }
            return .gone(change)
        }
        do throws(StoreError) {
            // Only what can be restored is deleted.
            try await keepText(of: change, revision)
            try await store.delete(change.path, ifRevision: revision, contentHash: hash)
        } catch {
            if error.isConflict {
                try onDisk(change.path) { try copy.drop(change) }
                return .notDeleted(change)
            }
            guard error.code == .notFound else { throw error }
            try await requireNothing(at: change.path, during: .delete)
        }
        try onDisk(change.path) { try copy.complete(change, with: nil) }
        return .sent(change, file: nil)
    }

    /// A server, or a part of it that lags behind, may say that nothing is where it has just shown a file.
    private func requireNothing(
        at path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) {
        do throws(StoreError) {
            _ = try await store.metadata(of: path)
        } catch {
            guard error.code == .notFound || error.code == .wrongKind else { throw error }
            return
        }
        // It waits; one that is never clear is refused after some attempts, and blocks nothing.
        throw StoreError(
            .badAnswer, during: operation, at: path, detail: "not found, and there")
    }

    private func keepText(
        of change: WaitingChange, _ revision: Revision
    ) async throws(StoreError) {
        let file = RemoteFile(
            path: change.path, revision: revision, byteCount: change.byteCount,
            modified: change.modified, contentHash: change.contentHash)
        let isHere = try onDisk(change.path) { try copy.missingTexts(among: [file]).isEmpty }
        guard !isHere, change.byteCount <= store.fetchLimit else { return }
        let found = try await store.fetch(change.path)
        try onDisk(change.path) { try copy.keep([found]) }
    }
}
