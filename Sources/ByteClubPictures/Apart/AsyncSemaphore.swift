import Synchronization

/// Admits a limited number of tasks at once, in the order of their arrival.
final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var nextNumber = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
        /// Tasks cancelled before they started waiting.
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    init(value: Int) { state = Mutex(State(free: value)) }

    /// Waits to be admitted; `signal` admits the next one.
    ///
    /// - Throws: `.cancelled`; `signal` must not be called then.
    func wait(to operation: String) async throws(PictureError) {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let isAdmitted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return false }
                    if state.free > 0 {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            continuation?.resume(returning: false)
        }
        state.withLock { _ = $0.cancelled.remove(number) }
        guard isAdmitted else { throw PictureError(.cancelled, operation: operation) }
    }

    func signal() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
