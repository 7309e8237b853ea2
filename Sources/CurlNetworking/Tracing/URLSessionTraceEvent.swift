public import FoundationEssentials

/// An event of a task, for logs, traces and metrics.
///
/// ```swift
/// configuration.traceHandler = { event in logger.debug("\(event)") }
/// ```
///
/// Secrets are removed: URLs have no user, password, query and fragment, and header fields that may be secret
/// only show their length. Bodies are never included. Not part of Apple's API.
public struct URLSessionTraceEvent: Sendable {
    /// The kinds of events.
    public enum Kind: Sendable {
        /// A request was handed to libcurl: the first one of a task, or one after a redirect, a challenge or
        /// a lost connection.
        case attemptStarted
        /// The request was answered, by the server or from the cache, or has failed; `failure` is libcurl's
        /// text then. An attempt that is cancelled, or whose response is not read to its end, has neither a
        /// failure nor all of its dates.
        case attemptEnded(URLSessionTaskTransactionMetrics, failure: String?)
        /// The task is complete. `error` is the one that its delegate or handler receives.
        case taskCompleted(error: (any Error)?)
    }

    /// What happened, with its details.
    public let kind: Kind
    /// When it happened.
    public let date: Date
    /// The number of the session, unique in the process.
    public let sessionNumber: Int
    /// The task's `taskIdentifier`, unique in its session.
    public let taskIdentifier: Int
    /// The task's `taskDescription`.
    public let taskDescription: String?
    /// The number of the attempt, starting at 1; for a complete task, the number of its last attempt.
    public let attempt: Int
    /// The request of the attempt, without its body.
    public let request: URLRequest
}

extension URLSessionTraceEvent: CustomStringConvertible {
    /// One line such as `2.7 #1 GET http://a.test/b: 200 in 0.12 s, http/1.1, 512 bytes`, where 2 is the
    /// session, 7 the task and 1 the attempt.
    public var description: String {
        let place = "\(sessionNumber).\(taskIdentifier) #\(attempt)"
        switch kind {
        case .attemptStarted:
            let fields = request.headers.fields.map { "\($0.name): \($0.value)" }
            return "\(place) \(request.summary)"
                + (fields.isEmpty ? "" : " [\(fields.joined(separator: "; "))]")
        case .attemptEnded(let metrics, let failure):
            return "\(place) \(metrics)" + (failure.map { ", failed: \($0)" } ?? "")
        case .taskCompleted(nil):
            return "\(place) complete"
        case .taskCompleted(let error?):
            let code = (error as? URLError).map { "\($0.code.rawValue) " } ?? ""
            let text = (error as? URLError)?.underlyingText ?? "\(type(of: error))"
            return "\(place) complete: error \(code)(\(text))"
        }
    }
}
