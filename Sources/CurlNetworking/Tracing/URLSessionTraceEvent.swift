public import FoundationEssentials

/// Something that has happened to a task, for logs, traces and metrics.
///
/// ```swift
/// configuration.traceHandler = { event in logger.debug("\(event)") }
/// ```
///
/// Secrets are blotted out: URLs are without user, password, query and fragment, and of header fields that may
/// hold a secret only the length is left. Bodies are never part of it. Not in Apple's suite.
public struct URLSessionTraceEvent: Sendable {
    /// What has happened.
    public enum Kind: Sendable {
        /// A request goes to libcurl: the first one of a task, or one after a redirect, a challenge or a lost
        /// connection.
        case attemptStarted
        /// The request was answered, by the server or from the cache, or has failed: then `failure` says why,
        /// in libcurl's words. An attempt that is cancelled, or whose answer is not read to its end, has neither
        /// a failure nor all of its dates.
        case attemptEnded(URLSessionTaskTransactionMetrics, failure: String?)
        /// The task is complete; `error` is what its delegate or handler gets.
        case taskCompleted(error: (any Error)?)
    }

    /// What has happened, with what is known of it.
    public let kind: Kind
    /// When it has happened.
    public let date: Date
    /// Tells the sessions of this process apart.
    public let sessionNumber: Int
    /// The task's `taskIdentifier`: unique in its session.
    public let taskIdentifier: Int
    /// The task's `taskDescription`.
    public let taskDescription: String?
    /// 1 for the first attempt of a task, also after it is complete the number of the last.
    public let attempt: Int
    /// The request of the attempt, without its body.
    public let request: URLRequest
}

extension URLSessionTraceEvent: CustomStringConvertible {
    /// One line: `2.7 #1 GET http://a.test/b: 200 in 0.12 s, http/1.1, 512 bytes`, where 2 is the session, 7 the
    /// task and 1 the attempt.
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
