package import FoundationEssentials
internal import CByteClubLinux
internal import Glibc

/// A lock between programs, held until it is released. The kernel releases it when the process ends.
package struct FileLock: Sendable {
    private let descriptor: CInt

    /// Opens a lock without taking it.
    ///
    /// - Parameter lock: A file used only for locking; created with its folder if missing.
    package init(_ lock: URL) throws(AtomicFile.Failure) {
        let folder = lock.deletingLastPathComponent()
        try AtomicFile.makeFolder(folder)
        descriptor = open(lock.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw AtomicFile.Failure(errno, in: folder) }
    }

    /// Opens a lock and waits until it is free. Taking it twice in one thread would deadlock.
    package static func hold(_ lock: URL) throws(AtomicFile.Failure) -> FileLock {
        let lock = try FileLock(lock)
        LockedFile.wait(for: lock.descriptor)
        return lock
    }

    package func attempt() -> LockedFile.Attempt { LockedFile.attempt(descriptor) }

    /// Whether its file is still at a path: it may have been removed, and made again, since it was opened.
    package func isFile(at path: String) -> Bool {
        var (opened, there) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &there) == 0
            && (opened.st_dev, opened.st_ino) == (there.st_dev, there.st_ino)
    }

    /// Call it once.
    package func release() {
        LockedFile.close(descriptor)
    }
}
