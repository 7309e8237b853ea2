/// The life of a task, from suspended to completed, as a value: it takes an action and returns what the
/// engine has to do about it.
///
/// | state | left by |
/// |---|---|
/// | suspended | `resume` as often as `suspend` was called, `cancel`, `complete` |
/// | running | `suspend`, `cancel`, `complete` |
/// | canceling | `complete` |
/// | completed | nothing |
///
/// A task may complete while suspended: what was already on its way arrives, but its last call waits
/// for `resume`. Nothing brings a cancelled task back.
struct TaskLife: Sendable {
    private(set) var state: URLSessionTask.State = .suspended
    /// How many `resume` calls are needed before anything moves.
    private(set) var suspensionCount = 1
    /// Whether the task was ever set going.
    private(set) var hasStarted = false

    /// What follows for the engine.
    enum Consequence: Equatable {
        case nothing
        case start
        case pause
        case proceed
        case abort
    }

    /// Whether calls to the delegate may go out.
    var isHeld: Bool { state == .suspended }

    var isOver: Bool { state == .completed || state == .canceling }

    mutating func resume() -> Consequence {
        guard state == .suspended else { return .nothing }
        suspensionCount -= 1
        guard suspensionCount == 0 else { return .nothing }
        state = .running
        defer { hasStarted = true }
        return hasStarted ? .proceed : .start
    }

    mutating func suspend() -> Consequence {
        switch state {
        case .running:
            state = .suspended
            suspensionCount = 1
            return .pause
        case .suspended:
            suspensionCount += 1
            return .nothing
        case .canceling, .completed:
            return .nothing
        }
    }

    mutating func cancel() -> Consequence {
        guard !isOver else { return .nothing }
        state = .canceling
        return .abort
    }

    mutating func complete() {
        state = .completed
    }
}
