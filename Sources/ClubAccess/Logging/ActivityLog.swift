internal import CByteClubLinux
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import TextEditing

/// A log of what the program does, one line per event, in a file the user asked for, to find the cause of a
/// problem.
///
/// Contains commands, displayed messages, store errors and, through `CURLNETWORKING_TRACE`, all requests,
/// including those of child processes. Texts, keys and secrets are never logged; file names are.
package enum ActivityLog {
    /// Why the log cannot be opened, in a few words.
    package struct Failure: Error {
        package var reason: String
    }

    /// Also in the environment, for the processes that this one starts.
    package static let variable = "BYTECLUB_LOG"

    private static let descriptor = Mutex<CInt?>(nil)
    /// Callers never wait for the disk.
    private static let queue = DispatchQueue(label: "byteclub.log", qos: .utility)

    /// Appends to a file from now on. Only the first call has an effect. The file is readable only by its
    /// owner: it has the names of files in it.
    package static func open(_ path: String) throws(Failure) {
        let path = URL(filePath: path).path
        let failure: CInt? = descriptor.withLock { descriptor in
            guard descriptor == nil else { return nil }
            let opened = Glibc.open(
                path,
                O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
                0o600)
            guard opened >= 0 else { return errno }
            // Not that of a device, such as /dev/stderr.
            var status = stat()
            if fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                fchmod(opened, 0o600)
            }
            descriptor = opened
            setenv(variable, path, 1)
            setenv("CURLNETWORKING_TRACE", path, 0)
            // The last lines matter most.
            atexit { ActivityLog.finish() }
            return nil
        }
        if let failure { throw Failure(reason: String(cString: strerror(failure))) }
    }

    /// Adds a line if logging is on.
    package static func write(_ line: @autoclosure () -> String) {
        guard let descriptor = descriptor.withLock({ $0 }) else { return }
        let date = Date().formatted(.iso8601.time(includingFractionalSeconds: true))
        let bytes = Array("\(date) \(getpid()) \(VisibleText(line()).string)\n".utf8)
        queue.async { @Sendable in
            // A line that cannot be written is dropped: logging must not stop the program.
            _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// Returns when all lines have been written.
    package static func finish() { queue.sync {} }
}
