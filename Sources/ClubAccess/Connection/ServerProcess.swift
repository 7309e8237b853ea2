import CByteClubLinux
import Dispatch
import FoundationEssentials
import Glibc

/// Runs this program again as the club's server, in its own session, and waits until it is ready.
///
/// It must outlive the program that started it, since others may use it by then; its leases tell it when to
/// exit.
struct ServerProcess: Sendable {
    /// The executable; this program except in tests.
    var program = "/proc/self/exe"
    var arguments: [String]
    var environment: [String: String]

    /// Receives its standard error.
    var log: URL

    /// The time limit for getting ready.
    var timeout: Duration = .seconds(30)

    enum Outcome: Hashable, Sendable {
        case ready(pid_t)
        /// It exited, or closed the pipe, before it was ready. Perhaps another one was faster.
        case ended
        case timedOut
    }

    /// The descriptor on which it writes a line when it is ready.
    static let readyDescriptor: CInt = 3

    /// - Throws: `.programNotStarted`.
    @concurrent func start() async throws(EmbeddedClubError) -> Outcome {
        var (readEnd, writeEnd): (CInt, CInt) = (-1, -1)
        guard byteclub_pipe(&readEnd, &writeEnd) == 0 else {
            throw .programNotStarted(reason: String(cString: strerror(errno)))
        }
        let process: pid_t
        do throws(EmbeddedClubError) {
            defer { close(writeEnd) }
            process = try spawn(tellingReadinessTo: writeEnd)
        } catch {
            close(readEnd)
            throw error
        }
        let milliseconds = CInt(clamping: Int64(timeout / .milliseconds(1)))
        let outcome = await withCheckedContinuation { continuation in
            Self.waitingQueue().async { @Sendable [readEnd] in
                continuation.resume(
                    returning: Self.waitForLine(from: readEnd, milliseconds: milliseconds))
            }
        }
        close(readEnd)
        switch outcome {
        case .line: return .ready(process)
        case .end:
            Self.forget(process)
            return .ended
        case .timeout:
            kill(process, SIGTERM)
            Self.forget(process)
            return .timedOut
        }
    }

    /// Reaps a server process when it exits.
    static func forget(_ process: pid_t) {
        waitingQueue().async { @Sendable in
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
    }
}

extension ServerProcess {
    /// A thread to wait on. Not one of Dispatch's global queues: once used, those wake the process
    /// every second.
    private static func waitingQueue() -> DispatchQueue {
        DispatchQueue(label: "byteclub.server-process")
    }

    private enum Heard: Sendable {
        case line, end, timeout
    }

    private static func waitForLine(from descriptor: CInt, milliseconds: CInt) -> Heard {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = poll(&request, 1, milliseconds)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return .timeout }
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return .end }
            if byte == UInt8(ascii: "\n") { return .line }
        }
    }

    private func spawn(tellingReadinessTo writeEnd: CInt) throws(EmbeddedClubError) -> pid_t {
        let logDescriptor = openLog()
        defer { if logDescriptor >= 0 { close(logDescriptor) } }
        var process: pid_t = 0
        let failure = ChildProgram.startDetached(
            program, ["byteclub"] + arguments,
            descriptors: [2: logDescriptor < 0 ? .null : .open(logDescriptor), 3: .open(writeEnd)],
            environment: environment, process: &process)
        guard failure == 0 else {
            throw .programNotStarted(reason: String(cString: strerror(failure)))
        }
        return process
    }

    /// The log covers the last few starts: it is truncated when it has grown large.
    private func openLog() -> CInt {
        try? FileManager.default.createDirectory(
            at: log.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = open(log.path, flags, 0o600)
        guard descriptor >= 0 else { return -1 }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_size > 1 << 20 { ftruncate(descriptor, 0) }
        return descriptor
    }
}
