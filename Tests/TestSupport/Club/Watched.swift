import Dispatch
import Synchronization

/// A value that threads change and tests wait on.
final class Watched<Value>: Sendable {
    private struct State: ~Copyable {
        var value: Value
        var waits: [Int: Wait] = [:]
        var nextWait = 0
    }

    private struct Wait {
        let isReached: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let state: Mutex<State>

    init(_ value: sending Value) {
        state = Mutex(State(value: value))
    }

    func read<Result>(_ body: (Value) -> sending Result) -> sending Result {
        state.withLock { body($0.value) }
    }

    func update<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        let (result, reached) = state.withLock { state in
            let result = body(&state.value)
            let numbers = state.waits.filter { $0.value.isReached(state.value) }.map(\.key)
            return (result, numbers.compactMap { state.waits.removeValue(forKey: $0) })
        }
        for wait in reached { wait.continuation.resume() }
        return result
    }

    /// - Throws: ``WaitFailure`` on timeout.
    func wait(
        for goal: String, timeout: Duration = TerminalDriver.timeout,
        until isReached: @escaping @Sendable (Value) -> Bool
    ) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let number: Int? = state.withLock { state in
                guard !isReached(state.value) else { return nil }
                state.nextWait += 1
                state.waits[state.nextWait] = Wait(
                    isReached: isReached, continuation: continuation)
                return state.nextWait
            }
            guard let number else { return continuation.resume() }
            let milliseconds = Int(timeout / .milliseconds(1))
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                let wait = self.state.withLock { $0.waits.removeValue(forKey: number) }
                wait?.continuation.resume(throwing: WaitFailure(goal: goal))
            }
        }
    }
}

/// A failed wait for something other than a screen.
public struct WaitFailure: Error, CustomStringConvertible {
    public let goal: String
    public var description: String { "waited in vain for \(goal)" }
}
