import Synchronization

/// What runs a task's transfer.
///
/// A carrier reads the task's state from the task itself: it is only notified of changes, on any thread, and
/// returns at once.
enum TaskCarrier: Sendable {
    /// The engine of this process.
    case engine
    /// The helper process of background sessions.
    case background(BackgroundClient)

    func start(_ task: URLSessionTask) {
        switch self {
        case .engine where !ProtocolLoad.mayLoad(task):
            Engine.shared.thread.submit { engine in engine.start(task) }
        case .engine: ProtocolLoad.start(task)
        case .background(let client): client.enlist(task)
        }
    }

    /// Notifies the carrier that the task was suspended or resumed.
    func lifeChanged(of task: URLSessionTask) {
        switch self {
        case .engine: Engine.shared.thread.submit { engine in engine.lifeChanged(of: task) }
        case .background(let client): client.submit { client in client.lifeChanged(of: task) }
        }
    }

    func abort(_ task: URLSessionTask) {
        switch self {
        case .engine:
            task.status.withLock { $0.urlProtocol.load }?.stop()
            Engine.shared.thread.submit { engine in engine.abort(task) }
        case .background(let client): client.submit { client in client.abort(task) }
        }
    }

    /// Notifies the carrier that the delegate has caught up.
    func flowOpened(for task: URLSessionTask) {
        switch self {
        case .engine: Engine.shared.thread.submit { engine in engine.flowOpened(for: task) }
        case .background(let client): client.submit { client in client.flowOpened(for: task) }
        }
    }

    func priorityChanged(of task: URLSessionTask) {
        switch self {
        case .engine: Engine.shared.thread.submit { engine in engine.priorityChanged(of: task) }
        case .background(let client): client.submit { client in client.priorityChanged(of: task) }
        }
    }

    func descriptionChanged(of task: URLSessionTask) {
        switch self {
        case .engine: break
        case .background(let client):
            client.submit { client in client.descriptionChanged(of: task) }
        }
    }

    /// Notifies the carrier that the completion was reported. Called on the delegate's queue.
    func completionReported(of task: URLSessionTask) {
        switch self {
        case .engine: break
        case .background(let client):
            client.submit { client in client.completionReported(of: task) }
        }
    }
}

extension URLSessionTask {
    var carrier: TaskCarrier {
        guard let client = session.background else { return .engine }
        // A background session's data tasks run in the program.
        switch receiver {
        case .delegate where !(self is URLSessionUploadTask), .bytes: return .engine
        default: return .background(client)
        }
    }
}
