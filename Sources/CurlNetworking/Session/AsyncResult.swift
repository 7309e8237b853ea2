import Synchronization

/// A result that is set once and awaited once, in either order.
final class AsyncResult<Value: Sendable>: Sendable {
    private enum Stage: Sendable {
        case empty
        case awaited(CheckedContinuation<Value, any Error>)
        case finished(Result<Value, any Error>)
    }

    private let stage = Mutex(Stage.empty)

    /// Sets the result. Only the first call counts.
    func finish(_ result: Result<Value, any Error>) {
        let waiting: CheckedContinuation<Value, any Error>? = stage.withLock { stage in
            switch stage {
            case .empty:
                stage = .finished(result)
                return nil
            case .awaited(let continuation):
                stage = .finished(result)
                return continuation
            case .finished:
                return nil
            }
        }
        waiting?.resume(with: result)
    }

    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let finished: Result<Value, any Error>? = stage.withLock { stage in
                    if case .finished(let result) = stage { return result }
                    stage = .awaited(continuation)
                    return nil
                }
                if let finished { continuation.resume(with: finished) }
            }
        }
    }
}
