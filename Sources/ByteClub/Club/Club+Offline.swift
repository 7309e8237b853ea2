internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Where something that was done here is now.
enum Delivery: Sendable {
    /// The club has confirmed it.
    case inClub(RemoteFile)
    /// It waits in the outbox; the file as it is shown until then.
    case waiting(RemoteFile)

    var file: RemoteFile {
        switch self {
        case .inClub(let file), .waiting(let file): file
        }
    }
}

/// What a member does: in the club at once where it can be reached, else in the outbox, which sends it.
extension Club {
    /// Whether the club cannot be asked now, and no sign-in would help.
    var isOffline: Bool {
        guard case .failed(let error) = connection else { return false }
        return !settings.isFixedBySignIn(error)
    }

    /// Writes a text.
    ///
    /// - Throws: What the store refuses. Where the club cannot be reached the text waits; it is then on the
    ///   disk when this returns.
    func write(
        _ text: TextBuffer, at path: RemotePath, mode: WriteMode
    ) async throws(StoreError) -> Delivery {
        var (path, mode) = (path, mode)
        if case .update(let revision, _) = mode, revision.waitingChange != nil {
            guard let sent = await local?.run({ try $0.sentFile(for: revision) }) ?? nil else {
                // It builds on what waits, and goes there after it.
                return try await keep(text, at: path, mode: mode, because: nil)
            }
            (path, mode) = (
                sent.path, .update(sent.revision, contentHash: sent.contentHash)
            )
        }
        if isOffline, await local?.canKeep() == true {
            return try await keep(text, at: path, mode: mode, because: nil)
        }
        do throws(StoreError) {
            let file = try await announcing(path) { () throws(StoreError) in
                try await perform { [path, mode] store throws(StoreError) in
                    try await NoteDocument.put(text, at: path, mode: mode, in: store)
                }
            }
            record(file, text: text)
            return .inClub(file)
        } catch {
            guard canWait(for: error) else { throw error }
            return try await keep(text, at: path, mode: mode, because: error)
        }
    }

    /// Gives a note another name.
    func move(_ file: RemoteFile, to destination: RemotePath) async throws(StoreError) -> Delivery {
        if isOffline || file.revision.waitingChange != nil {
            return try await enqueueMove(file, to: destination, because: nil)
        }
        do throws(StoreError) {
            let entry = try await perform { store throws(StoreError) in
                try await store.move(file.path, to: destination)
            }
            recordMove(of: file.path, in: file.revision, to: entry.file)
            return .inClub(entry.file ?? file)
        } catch {
            guard canWait(for: error) else { throw error }
            return try await enqueueMove(file, to: destination, because: error)
        }
    }

    /// Takes a change back that waits, with those that build on it.
    func takeBack(_ change: WaitingChange.ID) async throws {
        guard let local else { throw LibraryError.noSuchChange }
        _ = try await local.attempt { try $0.takeBack(change) }
        await refreshWaiting()
    }

    /// Tries once more what the club has refused.
    func retryRefused() async {
        _ = await local?.run { try $0.clearProblems() }
        await refreshWaiting()
        sendWaiting()
    }
}

extension Club {
    /// Only what says nothing about the change itself, and what no sign-in can fix: a person is asked then.
    func canWait(for error: StoreError) -> Bool {
        local != nil && error.isConnectionFailure && error.code != .cancelled
            && error.code != .locked && error.code != .unauthorized
            && !settings.isFixedBySignIn(error)
    }

    private func keep(
        _ text: TextBuffer, at path: RemotePath, mode: WriteMode, because error: StoreError?
    ) async throws(StoreError) -> Delivery {
        if mode == .add || mode == .create, contents[path] != nil {
            throw StoreError(.conflict(serverRevision: nil), during: .put, at: path)
        }
        let data = await Self.data(of: text)
        guard
            let file = try await enqueue(.write(data, at: path, mode: mode), because: error)
        else { throw error ?? StoreError(.offline, during: .put, at: path) }
        return .waiting(file)
    }

    private func enqueueMove(
        _ file: RemoteFile, to destination: RemotePath, because error: StoreError?
    ) async throws(StoreError) -> Delivery {
        guard let moved = try await enqueue(.move(file, to: destination), because: error) else {
            throw error ?? StoreError(.offline, during: .move, at: destination)
        }
        return .waiting(moved)
    }

    /// - Parameter error: Why it could not be done at once: after an attempt it may have arrived.
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
            // The long poll may take minutes to notice.
            connectionDidFail(error)
        } else {
            sendWaiting()
        }
        return file
    }

    @concurrent nonisolated static func data(of text: TextBuffer) async -> Data {
        Data(text.bytes(in: 0..<text.count))
    }
}
