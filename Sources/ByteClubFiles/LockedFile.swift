internal import Glibc

/// A file whose lock is held until it is closed.
package enum LockedFile {
    /// Unlocks and closes a file. Unlocked first: a child process that is being started shares the
    /// descriptor, and so the lock, until it executes another program.
    ///
    /// - Returns: 0, or -1 with `errno`.
    @discardableResult
    package static func close(_ descriptor: CInt) -> CInt {
        flock(descriptor, LOCK_UN)
        return Glibc.close(descriptor)
    }
}
