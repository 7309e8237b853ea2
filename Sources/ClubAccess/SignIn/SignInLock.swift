internal import ClubStore
internal import ByteClubFiles
internal import FoundationEssentials

/// Held by one program at a time while it changes a sign-in. The kernel releases it with the process.
///
/// Waiting blocks no thread: the holder may be waiting for the user to unlock a keyring.
struct SignInLock: Sendable {
    private let lock: FileLock

    /// - Throws: `.settings` when the lock cannot be created, `.store` when the task is cancelled.
    @concurrent static func acquire(_ paths: Paths) async throws(SignInError) -> SignInLock {
        let file = paths.stateFolder.appending(path: "joining.lock")
        let lock: FileLock
        do throws(AtomicFile.Failure) {
            lock = try FileLock(file)
        } catch {
            throw .settings(SettingsError(notWriting: file, error))
        }
        // Without file locks, signing in still works.
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

    /// Call it once.
    func release() { lock.release() }
}
