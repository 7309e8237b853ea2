import Dispatch
import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

/// Passes the events of a session to a handler, one at a time and in order, on a separate queue, so that
/// neither the engine nor a delegate waits for a log.
struct Tracer: Sendable {
    private static let queue = DispatchQueue(label: "CurlNetworking.trace", qos: .utility)

    let handler: @Sendable (URLSessionTraceEvent) -> Void

    func post(_ event: URLSessionTraceEvent) {
        Self.queue.async { @Sendable [handler] in handler(event) }
    }

    /// Waits until the handler has received all events, at most a second: the handler itself may have called
    /// `exit`.
    fileprivate static func drain() {
        let drained = DispatchSemaphore(value: 0)
        queue.async { @Sendable in drained.signal() }
        _ = drained.wait(timeout: .now() + .seconds(1))
    }

    // MARK: - From the environment

    static let variable = "CURLNETWORKING_TRACE"

    /// The tracer for all sessions if `CURLNETWORKING_TRACE` is set: `-` is standard error, anything else a
    /// file with mode 0600 to which lines are appended. nil if it is not set or the file cannot be written.
    static let environment: Tracer? = {
        guard let path = getenv(Tracer.variable).map({ String(cString: $0) }), !path.isEmpty
        else { return nil }
        let descriptor =
            path == "-"
            ? STDERR_FILENO
            : open(
                path,
                O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
                0o600)
        guard descriptor >= 0 else { return nil }
        // Otherwise a program that exits after its last task would lose that task's lines.
        atexit(drainTracer)
        return Tracer { event in
            let date = event.date.formatted(.iso8601.time(includingFractionalSeconds: true))
            let line = Array("\(date) \(getpid()) \(event.visible)\n".utf8)
            // Write errors are ignored: a log must not stop the program.
            _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }
    }()
}

/// Called at exit.
private func drainTracer() { Tracer.drain() }

extension URLSessionTraceEvent {
    /// The description without control characters, because it contains text of servers.
    fileprivate var visible: String {
        String(
            String.UnicodeScalarView(
                description.unicodeScalars.map { scalar in
                    let isControl =
                        scalar.properties.generalCategory == .control
                        || scalar.properties.generalCategory == .format
                    return isControl ? "\u{FFFD}" : scalar
                }))
    }
}

extension URLSessionConfiguration {
    /// Receives a session's events; nil (default) disables tracing.
    ///
    /// Called with one event at a time and in order, on a separate queue, which it may block. The helper runs
    /// the transfers of background sessions: only their completions are reported.
    ///
    /// Alternatively, the environment variable `CURLNETWORKING_TRACE` names a file for the events of all
    /// sessions, one line each; `-` is standard error. Not part of Apple's API.
    public var traceHandler: (@Sendable (URLSessionTraceEvent) -> Void)? {
        get { withSettings { $0.tracer?.handler } }
        set { withSettings { $0.tracer = newValue.map(Tracer.init) } }
    }
}

// MARK: - Events

extension URLSessionTask {
    /// nil if tracing is disabled; no events are created then.
    var tracer: Tracer? { session.settings.tracer ?? Tracer.environment }

    func trace(
        _ kind: URLSessionTraceEvent.Kind, _ request: @autoclosure () -> URLRequest,
        attempt: Int? = nil
    ) {
        guard let tracer else { return }
        let number = status.withLock { status in
            if let attempt { status.metrics.lastAttempt = attempt }
            return status.metrics.lastAttempt
        }
        tracer.post(
            URLSessionTraceEvent(
                kind: kind, date: Date(), sessionNumber: session.number,
                taskIdentifier: taskIdentifier, taskDescription: taskDescription,
                attempt: number + 1,
                request: request().redacted))
    }
}
