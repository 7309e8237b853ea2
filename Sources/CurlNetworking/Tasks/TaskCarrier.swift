import Synchronization

/// Who moves the bytes of a task.
///
/// What a task wants is read from the task itself: a carrier is only notified that something has changed,
/// on any thread, and returns at once.
enum TaskCarrier: Sendable {
    /// The engine of this process.
    case engine
    /// The helper of background sessions.
    case background(BackgroundClient)

    func start(_ task: URLSessionTask) {
        switch self {
        case .engine where !ProtocolLoad.mayLoad(task):
            Engine.shared.thread.submit { engine in engine.start(task) }
        case .engine: ProtocolLoad.start(task)
        case .background(let client): client.enlist(task)
        }
    }

    /// The task was suspended or goes on.
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

    /// The delegate has caught up.
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

    /// The delegate has heard how the task ended; called on its queue.
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
        // Data tasks of a background session run in the program, as long as it does.
        switch receiver {
        case .delegate where !(self is URLSessionUploadTask), .bytes: return .engine
        default: return .background(client)
        }
    }
}
