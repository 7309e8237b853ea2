/// Who moves the bytes of a task.
///
/// What a task wants is read from the task itself: a carrier is only told that something has changed,
/// on any thread, and returns at once.
enum TaskCarrier: Sendable {
    /// The engine of this process.
    case engine

    func start(_ task: URLSessionTask) {
        switch self {
        case .engine: Engine.shared.submit { engine in engine.start(task) }
        }
    }

    /// The task was suspended or goes on.
    func lifeChanged(of task: URLSessionTask) {
        switch self {
        case .engine: Engine.shared.submit { engine in engine.lifeChanged(of: task) }
        }
    }

    func abort(_ task: URLSessionTask) {
        switch self {
        case .engine: Engine.shared.submit { engine in engine.abort(task) }
        }
    }

    /// The delegate has caught up.
    func flowOpened(for task: URLSessionTask) {
        switch self {
        case .engine: Engine.shared.submit { engine in engine.flowOpened(for: task) }
        }
    }

    func priorityChanged(of task: URLSessionTask) {
        switch self {
        case .engine: Engine.shared.submit { engine in engine.priorityChanged(of: task) }
        }
    }
}

extension URLSessionTask {
    var carrier: TaskCarrier { .engine }
}
