import CurlNetworking
import Dispatch
import Synchronization

/// Tells the observer of a ``RetryNotice`` while a server takes a request and says nothing.
///
/// A request that is lost looks like a slow one until its time limit, a minute later: the caller
/// should hear earlier that nothing arrives.
///
/// A server that says a byte a second is silent, too: the request has no time limit then, and is ended here.
final class SilenceWatch: Sendable {
    private let task: URLSessionTask
    private let limit: Duration
    /// Five times as often as the observer is told: when the last byte moved is known as exactly.
    private let step: Duration
    private let observer: @Sendable (RetryNotice) -> Void
    private let state: Mutex<State>

    private struct State {
        var isEnded = false
        var hasGivenUp = false
        var byteCount: Int64 = 0
        /// The number of steps with almost no byte, and the bytes of those.
        var silentStepCount = 0
        var silentByteCount: Int64 = 0

        mutating func note(_ byteCount: Int64) {
            let new = byteCount - self.byteCount
            self.byteCount = byteCount
            let isSilent = new < SilenceWatch.leastByteCount
            silentStepCount = isSilent ? silentStepCount + 1 : 0
            silentByteCount = isSilent ? silentByteCount + new : 0
        }
    }

    private static let stepsPerNotice = 5
    /// In a step: fewer bytes are as good as none. A second is the usual step.
    private static let leastByteCount: Int64 = 16

    private static let queue = DispatchQueue(label: "byteclub.silence")

    /// Starts watching; nil if nobody observes this task.
    ///
    /// - Parameters:
    ///   - limit: How long the request may be silent before it fails.
    ///   - interval: How often to tell.
    init?(_ task: URLSessionTask, limit: Duration, every interval: Duration) {
        guard let observer = RetryNotice.observer, interval < limit else { return nil }
        (self.task, self.limit, self.observer) = (task, limit, observer)
        step = interval / Self.stepsPerNotice
        state = Mutex(State())
        lookLater()
    }

    func end() { state.withLock { $0.isEnded = true } }

    /// Whether the request was ended because its server said almost nothing for as long as it may be silent.
    var hasGivenUp: Bool { state.withLock { $0.hasGivenUp } }

    private func lookLater() {
        let nanoseconds = Int(step / .nanoseconds(1))
        // Held weakly: most requests have ended long before.
        Self.queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            self?.look()
        }
    }

    private func look() {
        let byteCount = task.countOfBytesSent + task.countOfBytesReceived
        let count: Int? = state.withLock { state in
            guard !state.isEnded else { return nil }
            state.note(byteCount)
            return state.silentStepCount
        }
        guard let count else { return }
        let left = limit - step * count
        guard left > .zero else { return giveUp() }
        if count > 0, count.isMultiple(of: Self.stepsPerNotice) {
            observer(RetryNotice(reason: .silent(step * count), wait: left))
        }
        lookLater()
    }

    /// Without any byte the request has a time limit of its own, unless it is suspended.
    private func giveUp() {
        let isDripping = state.withLock { state in
            state.hasGivenUp = !state.isEnded && state.silentByteCount > 0
            return state.hasGivenUp
        }
        if isDripping { task.cancel() } else { lookLater() }
    }
}
