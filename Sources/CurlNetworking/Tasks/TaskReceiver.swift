import FoundationEssentials

/// The receiver of a task's response.
enum TaskReceiver: Sendable {
    /// A data or upload task that reports to the delegate.
    case delegate
    /// A data or upload task with a completion handler, which is let go of when it is called: it may hold the
    /// owner of the task. An awaited task only resumes a continuation, so any
    /// queue will do.
    case dataHandler(
        isAwaited: Bool, OneShot<@Sendable (Data?, URLResponse?, (any Error)?) -> Void>)
    /// A download task that reports to the delegate.
    case fileDelegate
    /// A download task with a completion handler. An awaiting caller has to remove the file.
    case fileHandler(
        isAwaited: Bool, OneShot<@Sendable (URL?, URLResponse?, (any Error)?) -> Void>)
    /// An asynchronous sequence of bytes, or a WebSocket.
    case bytes(any ByteSink)

    var isAwaited: Bool {
        switch self {
        case .dataHandler(let isAwaited, _), .fileHandler(let isAwaited, _): isAwaited
        case .delegate, .fileDelegate, .bytes: false
        }
    }

    /// Where the engine puts the body.
    enum Destination {
        case pieces
        case memory
        case file
    }

    var destination: Destination {
        switch self {
        case .delegate, .bytes: .pieces
        case .dataHandler: .memory
        case .fileDelegate, .fileHandler: .file
        }
    }
}

extension URLSessionTask {
    /// Where the engine puts the body.
    var destination: TaskReceiver.Destination {
        watchesBody ? .pieces : receiver.destination
    }
}
