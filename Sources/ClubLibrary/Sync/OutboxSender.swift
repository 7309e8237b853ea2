public import ClubStore
internal import FoundationEssentials

/// Sends the changes that wait to the club, one after the other, in their order.
///
/// A change leaves the outbox only when the store has confirmed it. What the club refuses stays, with the
/// reason, and holds up nothing but what builds on it.
public struct OutboxSender: Sendable {
    private let copy: LocalCopy
    private let store: any RemoteStore
    /// An error in words, to be kept with a change.
    private let sentence: @Sendable (StoreError) -> String

    public init(
        _ copy: LocalCopy, to store: any RemoteStore,
        sentence: @escaping @Sendable (StoreError) -> String = { $0.description }
    ) {
        self.copy = copy
        self.store = store
        self.sentence = sentence
    }

    /// A change that the server fails at as often as this keeps the others back no longer.
    private static let attemptLimit = 5

    public enum Outcome: Sendable {
        /// Nothing is left that could be sent.
        case finished
        /// Another program is sending.
        case sentElsewhere
        /// All but what somebody keeps locked in the club, and what has to follow it.
        case blocked
    }

    /// Sends all that can be sent.
    ///
    /// - Parameter didHappen: Called for each change, in order.
    /// - Throws: `StoreError` when the club cannot be asked any more; `LibraryError`. The rest waits.
    @discardableResult
    @concurrent public func run(
        _ didHappen: @Sendable (SyncEvent) async -> Void = { _ in }
    ) async throws -> Outcome {
        guard let lock = try OutboxLock(of: copy) else { return .sentElsewhere }
        defer { withExtendedLifetime(lock) {} }
        try copy.recoverInterrupted()
        var locked: [WaitingChange] = []
        while let next = try nextChange(without: locked) {
            // It may have been taken back in between.
            guard let change = try copy.beginSending(next.id) else { continue }
            do throws(StoreError) {
                let event = try await send(change)
                await didHappen(event)
            } catch  where error.code == .locked {
                // It says nothing of the change, nor of the club: the next run tries again.
                try copy.endSending(change.id)
                locked.append(change)
            } catch {
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

    /// - Parameter locked: What is left out, with all that uses one of its names.
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

    /// The disk's failures, as the store's: either way the change waits.
    private func onDisk<Result>(
        _ path: RemotePath, _ body: () throws -> Result
    ) throws(StoreError) -> Result {
        do {
            return try body()
        } catch {
            throw StoreError(.fileUnwritable, during: .put, at: path, detail: "\(error)")
        }
    }
}

// MARK: - Texts

extension OutboxSender {
    private func write(
        _ change: WaitingChange, _ mode: WriteMode
    ) async throws(StoreError) -> SyncEvent {
        let text = try onDisk(change.path) { try copy.text(ofChange: change.id) } ?? Data()
        var careful = mode
        if mode == .overwrite, let theirs = try await otherText(at: change.path) {
            // While it waited, others have gone on: what is replaced is among the versions first.
            careful = .update(theirs.file.revision, contentHash: theirs.file.contentHash)
        }
        do throws(StoreError) {
            let file = try await store.put(text, at: change.path, mode: careful)
            try onDisk(change.path) { try copy.complete(change, with: file) }
            return .sent(change, file: file)
        } catch {
            guard case .conflict = error.code else { throw error }
            return try await settle(change, mode, text)
        }
    }

    /// Somebody else has written: both texts end up in the club, in one where that is possible.
    private func settle(
        _ change: WaitingChange, _ mode: WriteMode, _ text: Data
    ) async throws(StoreError) -> SyncEvent {
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
                // Somebody was faster once more.
                guard case .conflict = error.code else { throw error }
            }
        }
        return try await keepBoth(change, text)
    }

    /// What is there now, kept among the versions; nil when it cannot be read as a file.
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
                guard case .conflict = error.code, number < CopyName.limit else { throw error }
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
        // What it was to be of is gone.
        guard change.base != nil else {
            try onDisk(change.path) { try copy.drop(change) }
            return .gone(change)
        }
        var target = destination
        for number in 0...CopyName.limit {
            if number > 0 { target = try copyPath(of: destination, number) }
            do throws(StoreError) {
                let entry = try await store.move(change.path, to: target)
                let file = entry.file
                let isSeen = await isSeen(file, change)
                try onDisk(target) { try copy.complete(change, with: file, isSeen: isSeen) }
                guard let file, number > 0 else { return .sent(change, file: file) }
                return .keptBoth(change, file: file)
            } catch {
                switch error.code {
                case .conflict where number < CopyName.limit: continue
                case .notFound: return try await settleMove(change, to: destination)
                default: throw error
                }
            }
        }
        throw StoreError(.conflict(serverRevision: nil), during: .move, at: destination)
    }

    /// Whether what was moved is what this machine has seen: another member may have changed it before.
    private func isSeen(_ file: RemoteFile?, _ change: WaitingChange) async -> Bool {
        guard let file, (try? copy.hasFollowers(change.id)) == true,
            case .state(let revision, let hash) = change.base
        else { return true }
        guard
            let base = try? copy.baseText(at: change.path, revision: revision, hash: hash),
            let found = try? await store.fetch(file.path)
        else { return false }
        try? copy.keep([found])
        return found.data == base
    }

    /// It is not where it was: moved by an attempt whose answer was lost, or gone.
    private func settleMove(
        _ change: WaitingChange, to destination: RemotePath
    ) async throws(StoreError) -> SyncEvent {
        var file: RemoteFile?
        if change.attempts > 1 {
            do throws(StoreError) {
                file = try await store.metadata(of: destination)
            } catch {
                guard error.code == .notFound || error.code == .wrongKind else { throw error }
            }
        }
        let isSeen = await isSeen(file, change)
        try onDisk(destination) { try copy.complete(change, with: file, isSeen: isSeen) }
        return file == nil ? .gone(change) : .sent(change, file: file)
    }

    private func delete(_ change: WaitingChange) async throws(StoreError) -> SyncEvent {
        // Only what was seen is deleted, never what has its name by now.
        guard case .state(let revision, let hash) = change.base else {
            try onDisk(change.path) { try copy.drop(change) }
            return .gone(change)
        }
        do throws(StoreError) {
            // What cannot be brought back is not deleted.
            try await keepText(of: change, revision)
            try await store.delete(change.path, ifRevision: revision, contentHash: hash)
        } catch {
            if case .conflict = error.code {
                try onDisk(change.path) { try copy.drop(change) }
                return .notDeleted(change)
            }
            guard error.code == .notFound else { throw error }
        }
        try onDisk(change.path) { try copy.complete(change, with: nil) }
        return .sent(change, file: nil)
    }

    private func keepText(
        of change: WaitingChange, _ revision: Revision
    ) async throws(StoreError) {
        let file = RemoteFile(
            path: change.path, revision: revision, byteCount: change.byteCount,
            modified: change.date, contentHash: change.contentHash)
        let isHere = try onDisk(change.path) { try copy.missingTexts(among: [file]).isEmpty }
        guard !isHere, change.byteCount <= store.fetchLimit else { return }
        let found = try await store.fetch(change.path)
        try onDisk(change.path) { try copy.keep([found]) }
    }
}
