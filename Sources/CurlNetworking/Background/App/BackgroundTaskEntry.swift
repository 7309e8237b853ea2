import FoundationEssentials
import Synchronization

/// A task of a background session in its program. Owned by the client, used on its queue only.
final class BackgroundTaskEntry {
    let task: URLSessionTask
    let identity: Identity
    /// Whether it was sent to a helper, and whether the helper has confirmed that it is in the journal.
    var wasSent: Bool
    var isKept: Bool
    /// Whether the helper runs it, or has its result.
    var needsHelper = true
    /// Whether its completion is known here.
    var hasEnded = false
    /// A response body that is being delivered to the delegate.
    var body: BackgroundBody?

    /// When a task was resumed, and what distinguishes it from others with its number.
    struct Identity: Sendable {
        let key: UInt64
        let time: Int64

        init() {
            key = UInt64.random(in: 1...UInt64.max)
            time = Int64(Date.now.timeIntervalSince1970)
        }

        init(_ record: BackgroundTaskRecord) {
            key = record.key
            time = record.created
        }
    }

    /// A new task.
    init(_ task: URLSessionTask, _ identity: Identity) {
        self.task = task
        self.identity = identity
        wasSent = false
        isKept = false
    }

    /// A task that was found in the journal.
    init(_ task: URLSessionTask, _ record: BackgroundTaskRecord) {
        self.task = task
        identity = Identity(record)
        wasSent = true
        isKept = true
    }

    var key: UInt64 { identity.key }

    fileprivate static func kind(of task: URLSessionTask) -> BackgroundTaskRecord.Kind? {
        switch (task.receiver, task.source) {
        case (.fileDelegate, .none), (.fileDelegate, .data):
            .download(resumeData: task.givenResumeData)
        case (.delegate, .file(let url)): .upload(file: url.absolutePath)
        default: nil
        }
    }

    /// Why a task cannot run in a background session; nil when it can.
    static func refusal(of task: URLSessionTask) -> URLError? {
        if let failure = task.startFailure { return failure }
        let url = task.firstRequest.url
        func refused(_ text: String) -> URLError {
            URLError(.unknown, failingURL: url, underlyingText: text)
        }
        switch task.receiver {
        case .delegate, .fileDelegate: break
        case .dataHandler, .fileHandler, .bytes:
            return refused(
                "tasks of a background session have no completion handlers: the program may have "
                    + "exited when they end")
        }
        guard kind(of: task) != nil else {
            return refused(
                task is URLSessionUploadTask
                    ? "uploads of a background session are from files only"
                    : "a request of a background session has no body stream")
        }
        guard let url, Origin(of: url) != nil else {
            let scheme = url?.scheme?.lowercased() ?? ""
            let isForeign = !scheme.isEmpty && !["http", "https"].contains(scheme)
            return URLError(isForeign ? .unsupportedURL : .badURL, failingURL: url)
        }
        return nil
    }
}

extension BackgroundTaskEntry.Identity {
    /// The task's current state; nil when it cannot run in a background session.
    func makeRecord(
        of task: URLSessionTask, session: String, settings: BackgroundSettings
    ) -> BackgroundTaskRecord? {
        guard let request = BackgroundTaskRecord.Request(task.firstRequest),
            let kind = BackgroundTaskEntry.kind(of: task)
        else { return nil }
        let (description, priority, isSuspended) = task.status.withLock {
            ($0.taskDescription, $0.priority, $0.life.isSuspended)
        }
        var record = BackgroundTaskRecord(
            number: task.taskIdentifier, session: session, kind: kind, request: request,
            created: time, earliestBegin: task.earliestBeginDate, key: key,
            settings: settings.with(
                task.session.settings.credentialStorage, for: task.firstRequest),
            description: description, priority: priority)
        if isSuspended { record.suspend(at: Int64(Date.now.timeIntervalSince1970)) }
        return record
    }
}

extension URL {
    /// The absolute path of a file URL: the helper has another working directory.
    var absolutePath: String {
        path(percentEncoded: false).absolutePath
    }
}

extension String {
    /// The absolute path.
    var absolutePath: String {
        hasPrefix("/") ? self : FileManager.default.currentDirectoryPath + "/" + self
    }
}
