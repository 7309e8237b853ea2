internal import ByteClubFiles
internal import FoundationEssentials
internal import Glibc

/// Held by the one program that sends a club's changes; released when the process ends.
public final class OutboxLock: Sendable {
    private let descriptor: Int32

    /// Nil if another program is sending.
    ///
    /// - Throws: `LibraryError.unwritable` if locking is not possible.
    public init?(of copy: LocalCopy) throws {
        let path = copy.folder.path + "/outbox.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw LibraryError.unwritable(String(cString: strerror(errno)))
        }
        switch LockedFile.attempt(descriptor) {
        case .taken: return
        case .busy: return nil
        case .impossible: throw LibraryError.unwritable(String(cString: strerror(errno)))
        }
    }

    deinit { if descriptor >= 0 { LockedFile.close(descriptor) } }
}
