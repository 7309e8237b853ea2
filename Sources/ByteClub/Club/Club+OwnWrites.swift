internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

/// What was done on this computer is not new to the person at it, also when the shell or another window has
/// done it: the server does not say who, so the programs tell one another through the local copy.
extension Club {
    /// Looks through what the club has for what this computer has made.
    func recognizeOwn() async {
        guard let local else { return }
        let writes = await local.read { try $0.ownWrites() } ?? []
        let own = writes.compactMap { write in
            contents[write.path].flatMap { write.made($0) ? $0 : nil }
        }
        if !own.isEmpty { handlers.didRecognizeOwn?(own) }
        let now = Date()
        guard looking.recognizing == nil, !hasLeft,
            writes.contains(where: { $0.isUnderWay(at: now) })
        else { return }
        // Another program is writing: what the server has announced may be that, and is recognized soon.
        looking.recognizing = Task { [weak self] in
            guard (try? await Pause.sleep(for: .milliseconds(500))) != nil, let self else { return }
            looking.recognizing = nil
            await recognizeOwn()
            notify()
        }
    }

    /// Tells the other programs on this computer that what appears at a path soon was written here.
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
            // After a cut connection it may have arrived.
            if !error.isConnectionFailure { end(as: nil) }
            throw error
        }
    }
}
