import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Where the events of a session go: to a handler, one at a time and in order, on a queue of their own, so that
/// neither the engine nor a delegate waits for a log.
struct Tracer: Sendable {
    private static let queue = DispatchQueue(label: "CurlNetworking.trace", qos: .utility)

    let handler: @Sendable (URLSessionTraceEvent) -> Void

    func post(_ event: URLSessionTraceEvent) {
        Self.queue.async { @Sendable [handler] in handler(event) }
    }

    /// Waits for the handlers of the events so far: at most a second, as one of them may be what ends the program.
    fileprivate static func drain() {
        let drained = DispatchSemaphore(value: 0)
        queue.async { @Sendable in drained.signal() }
        _ = drained.wait(timeout: .now() + .seconds(1))
    }

    // MARK: - By the environment

    /// For all sessions, when `CURLNETWORKING_TRACE` is set: `-` means standard error, anything else is a file,
    /// made with mode 0600, that lines are added to. nil where it is not set or cannot be written.
    static let environment: Tracer? = {
        guard let path = getenv("CURLNETWORKING_TRACE").map({ String(cString: $0) }), !path.isEmpty
        else { return nil }
        let descriptor =
            path == "-"
            ? STDERR_FILENO
            : open(
                path,
                O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
                0o600)
        guard descriptor >= 0 else { return nil }
        // A program that ends with its last task would end before that task's lines are written.
        atexit(drainTracer)
        return Tracer { event in
            let date = event.date.formatted(.iso8601.time(includingFractionalSeconds: true))
            let line = Array("\(date) \(getpid()) \(event.visible)\n".utf8)
            // A line that cannot be written is lost: a log must not stop a program.
            _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }
    }()
}

/// For `atexit`.
private func drainTracer() { Tracer.drain() }

extension URLSessionTraceEvent {
    /// Its description without characters that a terminal obeys: what servers send is in it.
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
    /// Gets what happens to the tasks of a session, for logs, traces and metrics. nil, as it is at first: nobody
    /// does, and nothing is collected for it.
    ///
    /// Called one event at a time and in order, on a queue of its own, which it may hold up. Transfers of a
    /// background session are carried out by its helper: of those only the completion is told.
    ///
    /// Without a change to the program, the environment's `CURLNETWORKING_TRACE` names a file for the events of all
    /// sessions, a line each; `-` is standard error. Not in Apple's suite.
    public var traceHandler: (@Sendable (URLSessionTraceEvent) -> Void)? {
        get { withSettings { $0.tracer?.handler } }
        set { withSettings { $0.tracer = newValue.map(Tracer.init) } }
    }
}

// MARK: - What is told

extension URLSessionTask {
    /// nil when nobody is told: then nothing is prepared, either.
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
