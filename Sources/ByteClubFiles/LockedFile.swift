internal import Glibc

/// A file whose lock says that somebody is at work, until it is closed.
package enum LockedFile {
    /// Lets go of a file and its lock. Unlocked first: a child of this process that is just being started
    /// has the descriptor too, and with it the lock, until it becomes another program.
    ///
    /// - Returns: 0, or -1 with `errno`.
    @discardableResult
    package static func close(_ descriptor: CInt) -> CInt {
        flock(descriptor, LOCK_UN)
        return Glibc.close(descriptor)
    }
}
