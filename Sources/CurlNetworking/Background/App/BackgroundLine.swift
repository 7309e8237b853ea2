import FoundationEssentials
import Synchronization

/// Marks a session as a background session.
struct BackgroundIdentity: Hashable, Sendable {
    var identifier: String
    /// Determines the folders; nil for the environment of this process.
    var environment: [String: String]?
}

/// What is known of a background session from file names, before it is connected.
struct BackgroundLine {
    private let identity: BackgroundIdentity
    private let environment: [String: String]
    private let paths: BackgroundPaths
    private let numbers: [Int]

    init(_ identity: BackgroundIdentity) {
        self.identity = identity
        environment = identity.environment ?? ProcessInfo.processInfo.environment
        paths = BackgroundPaths(environment: environment)
        numbers = paths.numbers(of: identity.identifier)
    }

    /// New tasks have larger numbers.
    var lastNumber: Int { numbers.max() ?? 0 }

    func makeClient(_ settings: SessionSettings) -> BackgroundClient {
        BackgroundClient(
            identifier: identity.identifier, settings: BackgroundSettings(settings),
            environment: environment, paths: paths, hasRecords: !numbers.isEmpty)
    }
}

extension URLSessionTask {
    /// A task of the journal, already resumed. nil when its request is invalid.
    static func make(_ record: BackgroundTaskRecord, in session: URLSession) -> URLSessionTask? {
        guard let request = record.request.request else { return nil }
        let task: URLSessionTask
        switch record.kind {
        case .download:
            task = URLSessionDownloadTask(
                session: session, identifier: record.number, request: request,
                source: request.httpBody.map(BodySource.data) ?? .none, receiver: .fileDelegate)
        case .upload(let file):
            task = URLSessionUploadTask(
                session: session, identifier: record.number, request: request,
                source: .file(URL(filePath: file, directoryHint: .notDirectory)),
                receiver: .delegate)
        }
        task.status.withLock { status in
            _ = status.life.resume()
            if record.isSuspended { _ = status.life.suspend() }
            status.taskDescription = record.description
            status.priority = record.priority
            status.delivery.earliestBeginDate = record.earliestBeginDate
            guard case .running(let moved, let expected) = record.state else { return }
            // The delegate receives differences from these counts on.
            if case .download = record.kind {
                status.counts.received = moved
                status.counts.expectedToReceive = expected
                status.reports.written = moved
            } else {
                status.counts.sent = moved
                status.counts.expectedToSend = expected
                status.reports.sent = moved
            }
        }
        return task
    }
}
