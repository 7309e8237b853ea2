import FoundationEssentials

/// Who gets the answer of a task.
enum TaskReceiver: Sendable {
    /// A data or upload task of the delegate's.
    case delegate
    /// A data or upload task with a completion handler. One that is awaited only wakes somebody, on
    /// whatever queue it is called.
    case dataHandler(
        isAwaited: Bool, @Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    /// A download task of the delegate's.
    case fileDelegate
    /// A download task with a completion handler. Who awaits it has to remove the file.
    case fileHandler(
        isAwaited: Bool, @Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    /// An asynchronous sequence of bytes, or a WebSocket.
    case bytes(any ByteSink)

    var isAwaited: Bool {
        switch self {
        case .dataHandler(let isAwaited, _), .fileHandler(let isAwaited, _): isAwaited
        case .delegate, .fileDelegate, .bytes: false
        }
    }

    /// Where the engine has to put the body.
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
    /// Where the engine has to put the body.
    var destination: TaskReceiver.Destination {
        watchesBody ? .pieces : receiver.destination
    }
}
