internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// The result of a change made here.
enum ChangeOutcome: Sendable {
    /// The club has confirmed it.
    case inClub(RemoteFile)
    /// The change is in the outbox; the file as it is shown until it is sent.
    case waiting(RemoteFile)

    var file: RemoteFile {
        switch self {
        case .inClub(let file), .waiting(let file): file
        }
    }
}

/// Changes by this member: sent to the club at once if it is reachable, else through the outbox.
extension Club {
    /// Whether the club is unreachable and a sign-in would not help.
    var isOffline: Bool {
        guard case .failed(let error) = connection else { return false }
        return !settings.isFixedBySignIn(error)
    }

    /// Writes a text.
    ///
    /// - Throws: The store's error if it refuses. If the club is unreachable, the text goes to the outbox and
    ///   is on disk when this returns.
    func write(
        _ text: TextBuffer, at path: RemotePath, mode: RemoteWriteMode
    ) async throws(StoreError) -> ChangeOutcome {
        // Seen before an attempt: afterwards it may be what was sent.
        let isTaken = (mode == .add || mode == .create) && contents[path] != nil
        var (path, mode) = (path, mode)
        if case .update(let revision, _) = mode, revision.waitingChange != nil {
            guard let sent = await local?.run({ try $0.sentFile(for: revision) }) ?? nil else {
                // The base is a change in the outbox: this one is sent after it.
                return try await keep(text, at: path, mode: mode, isTaken: false, because: nil)
            }
            (path, mode) = (
                sent.path, .update(sent.revision, contentHash: sent.contentHash)
            )
        }
        if isOffline, await local?.canKeep() == true {
            return try await keep(text, at: path, mode: mode, isTaken: isTaken, because: nil)
        }
        let base = text.count <= Self.baseLimit ? await baseText(of: mode, at: path) : nil
        do throws(StoreError) {
            let file = try await announcing(path) { [path, mode] () throws(StoreError) in
                try await putUnlessSilent(text, at: path, mode: mode, base: base)
            }
            record(file, text: text)
            return .inClub(file)
        } catch {
            guard canWait(for: error) else { throw error }
            return try await keep(text, at: path, mode: mode, isTaken: isTaken, because: error)
        }
    }

    /// Renames a note.
    func move(_ file: RemoteFile, to destination: RemotePath) async throws(StoreError)
        -> ChangeOutcome
    {
        // Seen before an attempt: afterwards it may be this note.
        let other = contents.file(named: destination.name, in: destination.parent ?? .root)
        let isTaken = other.map { $0.path != file.path } == true
        if isOffline || file.revision.waitingChange != nil {
            return try await enqueueMove(file, to: destination, isTaken: isTaken, because: nil)
        }
        do throws(StoreError) {
            let entry = try await perform { store throws(StoreError) in
                try await store.move(file.path, to: destination)
            }
            recordMove(of: file.path, in: file.revision, to: entry.file)
            return .inClub(entry.file ?? file)
        } catch {
            guard canWait(for: error) else { throw error }
            return try await enqueueMove(file, to: destination, isTaken: isTaken, because: error)
        }
    }

    /// Removes a change from the outbox, and those based on it.
    func takeBack(_ change: WaitingChange.ID) async throws {
        guard let local else { throw LibraryError.noSuchChange }
        _ = try await local.attempt { try $0.takeBack(change) }
        await refreshWaiting()
    }

    /// Retries the changes that the club has refused.
    func retryRefused() async {
        _ = await local?.run { try $0.clearProblems() }
        await refreshWaiting()
        sendWaiting()
    }
}

extension Club {
    /// Whether a change waits in the outbox after an error; otherwise the user is asked.
    func canWait(for error: StoreError) -> Bool {
        local != nil && settings.mayWait(after: error)
    }

    /// How long a server may be silent about a text before it waits here: ten seconds, and for large texts as long as
    /// a slow disk takes to write them.
    private static func silenceLimit(byteCount: Int) -> Duration {
        .seconds(10 + byteCount / (4 << 20))
    }

    /// Sends a text. A server that stays silent fails with `.timedOut` instead of holding up what can wait in the
    /// outbox: a member who pressed Done wants to close the note.
    ///
    /// Returns then without waiting for the end of the call, which is cancelled.
    private func putUnlessSilent(
        _ text: TextBuffer, at path: RemotePath, mode: RemoteWriteMode, base: Data?
    ) async throws(StoreError) -> RemoteFile {
        let limit: Duration? =
            await local?.canKeep() == true ? Self.silenceLimit(byteCount: text.count) : nil
        let (results, first) = AsyncStream.makeStream(
            of: Result<RemoteFile, StoreError>.self, bufferingPolicy: .bufferingOldest(1))
        let task = Task {
            let result = await Self.result { () throws(StoreError) in
                try await perform(
                    didFindSilence: { silence in
                        guard let limit, silence >= limit else { return }
                        first.yield(.failure(StoreError(.timedOut, during: .put, at: path)))
                    }
                ) { store throws(StoreError) in
                    if let base { store.noteBase(base) }
                    return try await NoteDocument.put(text, at: path, mode: mode, in: store)
                }
            }
            first.yield(result)
            return result
        }
        for await result in results {
            if case .failure = result {
                task.cancel()
                let earlier = outgoing.givenUp
                outgoing.givenUp = Task {
                    await earlier?.value
                    _ = await task.value
                }
            }
            return try result.get()
        }
        // This task was cancelled.
        task.cancel()
        return try await task.value.get()
    }

    /// Larger texts are not read for their bases: no store keeps those.
    private static let baseLimit = 1 << 20

    /// The text that a write is based on, as it was seen here.
    private func baseText(of mode: RemoteWriteMode, at path: RemotePath) async -> Data? {
        guard case .update(let revision, let hash) = mode else { return nil }
        return await local?.read { try $0.baseText(at: path, revision: revision, hash: hash) }
            ?? nil
    }

    private func keep(
        _ text: TextBuffer, at path: RemotePath, mode: RemoteWriteMode, isTaken: Bool,
        because error: StoreError?
    ) async throws(StoreError) -> ChangeOutcome {
        if isTaken {
            throw StoreError(.conflict(serverRevision: nil), during: .put, at: path)
        }
        let data = await Self.data(of: text)
        guard
            let file = try await enqueue(.write(data, at: path, mode: mode), because: error)
        else { throw error ?? StoreError(.offline, during: .put, at: path) }
        return .waiting(file)
    }

    private func enqueueMove(
        _ file: RemoteFile, to destination: RemotePath, isTaken: Bool, because error: StoreError?
    ) async throws(StoreError) -> ChangeOutcome {
        if isTaken {
            throw StoreError(.conflict(serverRevision: nil), during: .move, at: destination)
        }
        guard let moved = try await enqueue(.move(file, to: destination), because: error) else {
            throw error ?? StoreError(.offline, during: .move, at: destination)
        }
        return .waiting(moved)
    }

    /// - Parameter error: Why the first attempt failed; after an attempt the change may have arrived.
    @discardableResult
    func enqueue(
        _ intent: Intent, because error: StoreError?
    ) async throws(StoreError) -> RemoteFile? {
        guard let local else {
            throw error ?? StoreError(.offline, during: .connect)
        }
        let file: RemoteFile?
        do {
            file = try await local.attempt {
                try $0.enqueue(intent, wasAttempted: error != nil)
            }
        } catch let failure {
            throw error ?? StoreError(.offline, during: .connect, detail: "\(failure)")
        }
        await refreshWaiting()
        if let error, case .connected = connection {
            // The long poll may take minutes to detect it.
            connectionDidFail(error)
        } else {
            sendWaiting()
        }
        return file
    }

    @concurrent nonisolated static func data(of text: TextBuffer) async -> Data {
        text.data
    }
}
