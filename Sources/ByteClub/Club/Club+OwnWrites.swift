internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

/// Changes made on this computer are not shown as new, also when a command or another window made them. The
/// server does not say who made a change, so the programs share this through the local copy.
extension Club {
    /// Finds the changes that were made on this computer.
    func recognizeOwn() async {
        guard let local else { return }
        let writes = await local.read { try $0.ownWrites() } ?? []
        let own = writes.compactMap { write in
            contents[write.path].flatMap { write.made($0) ? $0 : nil }
        }
        if !own.isEmpty { handlers.didRecognizeOwn?(own) }
        let now = Date()
        guard polling.recognizing == nil, !hasLeft,
            writes.contains(where: { $0.isUnderWay(at: now) })
        else { return }
        // Another program is writing: the announced change may be its own and is recognized shortly.
        polling.recognizing = Task { [weak self] in
            guard (try? await Pause.sleep(for: .milliseconds(500))) != nil, let self else { return }
            polling.recognizing = nil
            await recognizeOwn()
            notify()
        }
    }

    /// Whether a file is in the state that this computer gave it, in another window or by a command.
    func isOwnWrite(_ file: RemoteFile) async -> Bool {
        guard let local else { return false }
        for attempt in 0..<2 {
            let writes = await local.read { try $0.ownWrites() } ?? []
            if writes.contains(where: { $0.made(file) }) { return true }
            // The club may announce a change before it confirms it to the program that made it.
            let now = Date()
            guard attempt == 0,
                writes.contains(where: { $0.path == file.path && $0.isUnderWay(at: now) }),
                (try? await Pause.sleep(for: .milliseconds(500))) != nil
            else { return false }
        }
        return false
    }

    /// Marks a path as being written on this computer, for all its programs, while `body` runs.
    func announcing(
        _ path: RemotePath, _ body: () async throws(StoreError) -> RemoteFile
    ) async throws(StoreError) -> RemoteFile {
        guard let local else { return try await body() }
        let beginning = Task { await local.run { try $0.beginOwnWrite(at: path) } }
        func end(as file: RemoteFile?) {
            Task {
                guard let id = await beginning.value else { return }
                await local.run { try $0.endOwnWrite(id, as: file) }
            }
        }
        do throws(StoreError) {
            let file = try await body()
            end(as: file)
            return file
        } catch {
            // After a lost connection the write may have arrived.
            if !error.isConnectionFailure { end(as: nil) }
            throw error
        }
    }
}
