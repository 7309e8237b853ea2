import FoundationEssentials
import Glibc
import Synchronization

/// A task of a background session, as its program knows it. Owned by the client, used on its queue
/// alone.
final class Errand {
    let task: URLSessionTask
    /// Tells the task from any other of its number.
    let key: UInt64
    private let created: Int64
    /// Whether a helper was told of it, and whether one has said that it is in the journal.
    var wasSent: Bool
    var isKept: Bool
    /// Whether the helper carries it, or has its result.
    var needsHelper = true
    /// Whether its end is known here.
    var hasEnded = false
    /// The body of an answer on its way to the delegate.
    var body: BackgroundBody?

    /// A new task.
    init(_ task: URLSessionTask) {
        self.task = task
        var generator = SystemRandomNumberGenerator()
        key = UInt64.random(in: 1...UInt64.max, using: &generator)
        created = Int64(Date.now.timeIntervalSince1970)
        wasSent = false
        isKept = false
    }

    /// A task that was found in the journal.
    init(_ task: URLSessionTask, _ record: BackgroundTaskRecord) {
        self.task = task
        key = record.key
        created = record.created
        wasSent = true
        isKept = true
    }

    /// - Precondition: Nothing speaks against the task.
    func makeRecord(session: String, settings: BackgroundSettings) -> BackgroundTaskRecord? {
        guard let request = BackgroundTaskRecord.Request(task.firstRequest),
            let kind = Self.kind(of: task)
        else { return nil }
        let (description, priority, isHeld) = task.status.withLock {
            ($0.taskDescription, $0.priority, $0.life.isHeld)
        }
        var record = BackgroundTaskRecord(
            number: task.taskIdentifier, session: session, kind: kind, request: request,
            created: created, key: key,
            settings: settings.with(
                task.session.settings.credentialStorage, for: task.firstRequest),
            description: description, priority: priority)
        if isHeld { record.suspend(at: Int64(Date.now.timeIntervalSince1970)) }
        return record
    }

    private static func kind(of task: URLSessionTask) -> BackgroundTaskRecord.Kind? {
        switch (task.receiver, task.source) {
        case (.fileDelegate, .none), (.fileDelegate, .data):
            .download(resumeData: task.givenResumeData)
        case (.delegate, .file(let url)): .upload(file: url.absolutePath)
        default: nil
        }
    }

    /// Why no background session can have a task; nil when it can.
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
                "tasks of a background session have no completion handlers: whoever made one may "
                    + "be gone when it ends")
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

extension URL {
    /// The path of a file URL from the root on: the helper is in another folder.
    var absolutePath: String {
        path(percentEncoded: false).absolutePath
    }
}

extension String {
    /// The same path from the root on.
    var absolutePath: String {
        hasPrefix("/") ? self : FileManager.default.currentDirectoryPath + "/" + self
    }
}

/// The body of an answer, read from the helper's file as fast as the delegate takes it.
final class BackgroundBody {
    private let descriptor: Int32
    static let pieceByteCount = 128 << 10

    /// nil when the file is gone.
    init?(path: String) {
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// The next piece; empty at the end.
    func next() -> Data {
        var piece = Data(count: Self.pieceByteCount)
        let count = piece.withUnsafeMutableBytes { WholeFile.read(descriptor, into: $0) }
        return piece.prefix(count)
    }
}
