import CurlNetworkingPlatform

/// A file that is locked while its owner is running.
enum LockedFile {
    /// Unlocks and closes a file. The explicit unlock is needed because a child process that is just being
    /// started has a copy of the descriptor, and thus the lock, until it executes its program.
    @discardableResult
    static func close(_ descriptor: Int32) -> Int32 {
        flock(descriptor, LOCK_UN)
        return Glibc.close(descriptor)
    }
}
