internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Synchronization
internal import TextEditing

/// What the program does, a line each, in a file that somebody asked for: to find out why something went wrong.
///
/// Commands, the sentences shown, the store's failures and, through `CURLNETWORKING_TRACE`, all requests; so do
/// the processes that this one starts. Texts, keys and secrets are not in it, names of files are.
package enum ActivityLog {
    /// Why there can be no log, in a few words.
    package struct Failure: Error {
        package var reason: String
    }

    /// Also in the environment, for the processes that this one starts.
    package static let variable = "BYTECLUB_LOG"

    private static let descriptor = Mutex<CInt?>(nil)
    /// Nobody who has something to tell waits for the disk.
    private static let queue = DispatchQueue(label: "byteclub.log", qos: .utility)

    /// Adds to a file from now on; the first call counts. A new file is for this user alone.
    package static func open(_ path: String) throws(Failure) {
        let path = URL(filePath: path).path
        let failure: CInt? = descriptor.withLock { descriptor in
            guard descriptor == nil else { return nil }
            let opened = Glibc.open(
                path,
                O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
                0o600)
            guard opened >= 0 else { return errno }
            descriptor = opened
            setenv(variable, path, 1)
            setenv("CURLNETWORKING_TRACE", path, 0)
            // What was told last is what matters most.
            atexit { ActivityLog.finish() }
            return nil
        }
        if let failure { throw Failure(reason: String(cString: strerror(failure))) }
    }

    /// Adds a line when there is a log.
    package static func write(_ line: @autoclosure () -> String) {
        guard let descriptor = descriptor.withLock({ $0 }) else { return }
        let date = Date().formatted(.iso8601.time(includingFractionalSeconds: true))
        let bytes = Array("\(date) \(getpid()) \(VisibleText(line()).string)\n".utf8)
        queue.async { @Sendable in
            // A line that cannot be written is lost: a log must not stop the program.
            _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// Returns when all lines are written.
    package static func finish() { queue.sync {} }
}
