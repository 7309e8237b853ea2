internal import ClubStore
internal import Files
internal import FoundationEssentials

/// Held by one program at a time while it changes who is signed in where. The kernel lets it go with the
/// process.
///
/// Waiting takes no thread: whoever holds it may be waiting for a person to unlock a keyring.
struct SignInLock: Sendable {
    private let lock: FileLock

    /// - Throws: `.settings` when there can be no lock, `.store` when the task is cancelled.
    @concurrent static func acquire(_ paths: Paths) async throws(SignInError) -> SignInLock {
        let file = paths.stateFolder.appending(path: "joining.lock")
        let lock: FileLock
        do throws(AtomicFile.Failure) {
            lock = try FileLock(file)
        } catch {
            throw .settings(SettingsError(notWriting: file, error))
        }
        // Where files have no locks, people can sign in all the same.
        while lock.attempt() == .busy {
            do {
                try await Pause.sleep(for: .milliseconds(50))
            } catch {
                lock.release()
                throw .cancelled
            }
        }
        return SignInLock(lock: lock)
    }

    /// To be called once.
    func release() { lock.release() }
}
