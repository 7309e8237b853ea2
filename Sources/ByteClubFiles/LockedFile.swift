internal import Glibc

/// Locks on open files, between programs. The kernel releases them when the process ends.
package enum LockedFile {
    package enum Mode: Sendable {
        case exclusive
        /// Programs that only look do not keep each other out.
        case shared

        fileprivate var operation: CInt { self == .exclusive ? LOCK_EX : LOCK_SH }
    }

    /// The result of an attempt that does not wait.
    package enum Attempt: Sendable {
        case taken
        /// Another program holds it.
        case busy
        /// The file system does not support locks; `errno` says more.
        case impossible
    }

    package static func attempt(_ descriptor: CInt, _ mode: Mode = .exclusive) -> Attempt {
        while flock(descriptor, mode.operation | LOCK_NB) != 0 {
            if errno != EINTR { return errno == EWOULDBLOCK ? .busy : .impossible }
        }
        return .taken
    }

    /// Waits until the lock is free. Taking it twice in one thread would deadlock.
    ///
    /// - Returns: 0, or -1 with `errno`.
    @discardableResult
    package static func wait(for descriptor: CInt, _ mode: Mode = .exclusive) -> CInt {
        while flock(descriptor, mode.operation) != 0 {
            if errno != EINTR { return -1 }
        }
        return 0
    }

    /// Waits until the lock is free, and not without end: a program that was stopped (`^Z`) keeps its locks.
    ///
    /// - Parameter limit: The time spent waiting, without that in which this program was stopped itself.
    /// - Returns: `.busy` if another program still holds it.
    package static func wait(
        for descriptor: CInt, _ mode: Mode = .exclusive, atMost limit: Duration
    ) -> Attempt {
        var (waited, pause) = (Duration.zero, 1_000)
        while true {
            let result = attempt(descriptor, mode)
            guard result == .busy, waited < limit else { return result }
            usleep(useconds_t(pause))
            waited += .microseconds(pause)
            pause = min(pause * 2, 20_000)
        }
    }

    /// Whether another program holds the lock of a file or a folder exclusively. What is missing is not locked.
    ///
    /// - Parameter isUnknownLocked: The answer where the file system has no locks.
    package static func isLocked(_ path: String, isUnknownLocked: Bool = false) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        switch attempt(descriptor, .shared) {
        case .taken: return false
        case .busy: return true
        case .impossible: return isUnknownLocked
        }
    }

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
