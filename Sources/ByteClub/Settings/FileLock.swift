internal import FoundationEssentials
internal import Glibc

/// A lock between programs that the kernel lets go with the process.
enum FileLock {
    /// Runs something while no other holder of the same lock does. Taken twice by one thread, it waits for
    /// itself for ever.
    ///
    /// - Parameter lock: A file that is only there to be locked; made with its folder where it is missing.
    static func hold(
        _ lock: URL, _ body: () throws(WholeFile.Failure) -> Void
    ) throws(WholeFile.Failure) {
        let descriptor = try open(lock)
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        try body()
    }

    /// Takes a lock for the rest of the program's life.
    ///
    /// - Returns: False when another program holds it.
    static func take(_ lock: URL) throws(WholeFile.Failure) -> Bool {
        let descriptor = try open(lock)
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        close(descriptor)
        return false
    }

    private static func open(_ lock: URL) throws(WholeFile.Failure) -> CInt {
        try? FileManager.default.createDirectory(
            at: lock.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = Glibc.open(lock.path, flags, 0o600)
        guard descriptor >= 0 else { throw WholeFile.Failure(errno) }
        return descriptor
    }
}
