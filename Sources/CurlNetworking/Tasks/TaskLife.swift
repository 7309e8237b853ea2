/// The life cycle of a task as a value: takes an action and returns what the engine has to do.
///
/// | state | ends with |
/// |---|---|
/// | suspended | as many `resume` as `suspend` calls, `cancel`, `complete` |
/// | running | `suspend`, `cancel`, `complete` |
/// | canceling | `complete` |
/// | completed | never |
///
/// A task may complete while it is suspended, if its response was already in transit. The completion is
/// reported after `resume`. A cancelled task cannot be resumed.
struct TaskLife: Sendable {
    private(set) var state: URLSessionTask.State = .suspended
    /// The number of `resume` calls needed to run the task.
    private(set) var suspensionCount = 1
    /// Whether the task was ever resumed.
    private(set) var hasStarted = false
    /// Whether the engine has begun it. A task can be cancelled in between.
    private(set) var hasBegun = false

    /// What the engine has to do.
    enum Consequence: Equatable {
        case nothing
        case start
        case pause
        case proceed
        case abort
    }

    /// Whether the task is suspended, so that the delegate must not be called.
    var isSuspended: Bool { state == .suspended }

    var isOver: Bool { state == .completed || state == .canceling }

    mutating func resume() -> Consequence {
        guard state == .suspended else { return .nothing }
        suspensionCount -= 1
        guard suspensionCount == 0 else { return .nothing }
        state = .running
        defer { hasStarted = true }
        return hasStarted ? .proceed : .start
    }

    mutating func begin() {
        hasBegun = true
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
