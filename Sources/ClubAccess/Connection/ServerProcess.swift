import CLinux
import Dispatch
import FoundationEssentials
import Glibc

/// Runs this program again as the club's server, in a session of its own, and waits until
/// it is ready.
///
/// It must outlive whoever started it, since another may be using it by then; it knows from
/// its leases when to leave.
struct ServerProcess: Sendable {
    /// The program to run; this very one unless a test says otherwise.
    var program = "/proc/self/exe"
    var arguments: [String]
    var environment: [String: String]

    /// Where its complaints go.
    var log: URL

    /// How long it may take to get ready.
    var patience: Duration = .seconds(30)

    enum Outcome: Hashable, Sendable {
        case ready(pid_t)
        /// It left, or closed the pipe, without getting ready. Perhaps another one was faster.
        case ended
        case timedOut
    }

    /// The descriptor on which it says that it is ready, by a line.
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
        let milliseconds = CInt(clamping: Int64(patience / .milliseconds(1)))
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

    /// Takes note of the end of a server that is leaving, so that the system can forget it.
    static func forget(_ process: pid_t) {
        waitingQueue().async { @Sendable in
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
    }
}

extension ServerProcess {
    /// A thread to wait on. Not one of Dispatch's global queues: once used, those wake the program up
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
        let failure = DetachedProgram.spawn(
            program, ["byteclub"] + arguments,
            // What a test listens on is the app's own business.
            environment: environment.filter { $0.key != "BYTECLUB_TEST_FD" },
            errorDescriptor: logDescriptor, descriptorThree: writeEnd, process: &process)
        guard failure == 0 else {
            throw .programNotStarted(reason: String(cString: strerror(failure)))
        }
        return process
    }

    /// The log is for the last few starts: it begins anew when it has grown large.
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
