import CurlNetworkingPlatform

/// Locks on open files, between programs. The kernel releases them when the process ends.
enum LockedFile {
    /// The result of an attempt that does not wait.
    enum LockResult {
        case taken
        /// Another owner holds it.
        case busy
        /// The file system does not support locks; `errno` says more.
        case impossible
    }

    static func attempt(_ descriptor: Int32) -> LockResult {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return errno == EWOULDBLOCK ? .busy : .impossible }
        }
        return .taken
    }

    /// Waits until the lock is free.
    ///
    /// - Returns: 0, or -1 with `errno`.
    static func wait(for descriptor: Int32) -> Int32 {
        while flock(descriptor, LOCK_EX) != 0 {
            if errno != EINTR { return -1 }
        }
        return 0
    }

    /// Unlocks and closes a file. The explicit unlock is needed because a child process that is just being
    /// started has a copy of the descriptor, and thus the lock, until it executes its program.
    @discardableResult
    static func close(_ descriptor: Int32) -> Int32 {
        flock(descriptor, LOCK_UN)
        return Glibc.close(descriptor)
    }
}
