internal import Files
internal import FoundationEssentials
internal import Glibc

/// Held by the one program that sends a club's changes; let go of with the process, however it ends.
public final class OutboxLock: Sendable {
    private let descriptor: Int32

    /// Nil when another program is sending.
    ///
    /// - Throws: `LibraryError.unwritable` when nobody can be kept from sending too.
    public init?(of copy: LocalCopy) throws {
        let path = copy.folder.path + "/outbox.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw LibraryError.unwritable(String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        guard errno == EWOULDBLOCK else {
            throw LibraryError.unwritable(String(cString: strerror(errno)))
        }
        return nil
    }

    deinit { if descriptor >= 0 { LockedFile.close(descriptor) } }
}
