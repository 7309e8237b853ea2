internal import ClubStore
internal import FoundationEssentials
internal import Glibc

/// Held by one program at a time while it changes who is signed in where. The kernel lets it go with the
/// process.
///
/// Waiting takes no thread: whoever holds it may be waiting for a person to unlock a keyring.
struct SignInLock: Sendable {
    private let descriptor: CInt

    /// - Throws: `.settings` when there can be no lock, `.store` when the task is cancelled.
    @concurrent static func acquire(_ paths: Paths) async throws(JoiningError) -> SignInLock {
        try? FileManager.default.createDirectory(
            at: paths.stateFolder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let path = paths.stateFolder.appending(path: "joining.lock").path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .settings(.unwritable(path: path, reason: WholeFile.Failure(errno).reason))
        }
        // Where files have no locks, people can sign in all the same.
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
            do {
                try await Pause.sleep(for: .milliseconds(50))
            } catch {
                close(descriptor)
                throw .cancelled
            }
        }
        return SignInLock(descriptor: descriptor)
    }

    /// To be called once.
    func release() { close(descriptor) }
}
