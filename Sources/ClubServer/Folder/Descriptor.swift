import Glibc

/// An open file, folder or socket, closed when the value is destroyed.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { Glibc.close(number) }

    /// Wraps the result of a call that opens something.
    ///
    /// - Throws: ``SystemError`` with the call's `errno`.
    static func opened(
        _ operation: StaticString, _ number: Int32
    ) throws(SystemError) -> Descriptor {
        guard number >= 0 else { throw SystemError(operation) }
        return Descriptor(number)
    }
}

/// The error of a failed system call.
struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    let operation: String
    let code: Int32

    /// Captures the current `errno`.
    init(_ operation: StaticString, code: Int32 = errno) {
        self.operation = "\(operation)"
        self.code = code
    }

    var description: String { "\(operation): \(String(cString: strerror(code)))" }

    var isMissing: Bool { code == ENOENT || code == ENOTDIR }
    var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
    /// Whether the club's folder is another one now: see ``ClubFolder/requireFolder(for:)``.
    var isStale: Bool { code == ESTALE }
    var isRefused: Bool { code == EACCES || code == EPERM || code == EROFS }

    static func check(_ operation: StaticString, _ result: Int32) throws(SystemError) {
        guard result >= 0 else { throw SystemError(operation) }
    }
}
