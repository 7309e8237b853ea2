import Glibc

/// A file whose lock says that somebody is at work, until it is closed.
enum LockedFile {
    /// Lets go of a file and its lock. Unlocked first: a child of this process that is just being
    /// started has the descriptor too, and its lock, until it becomes another program.
    @discardableResult
    static func close(_ descriptor: Int32) -> Int32 {
        flock(descriptor, LOCK_UN)
        return Glibc.close(descriptor)
    }
}
