import CurlNetworking
import Dispatch
import Synchronization

/// Tells the observer of a ``RetryNotice`` while a server takes a request and says nothing, and ends a request to which
/// it says almost nothing.
///
/// A request that is lost looks like a slow one until its time limit, a minute later: the caller
/// should hear earlier that nothing arrives. One to which a byte comes each second has no time limit of its own.
final class SilenceWatch: Sendable {
    private let task: URLSessionTask
    private let limit: Duration
    /// Five times as often as the observer is told: when the last byte moved is known as exactly.
    private let step: Duration
    private let observer: (@Sendable (RetryNotice) -> Void)?
    private let state: Mutex<State>

    private struct State {
        var isEnded = false
        var hasGivenUp = false
        var byteCount: Int64 = 0
        /// The number of steps without a byte.
        var silentStepCount = 0
        var drip = Drip()
    }

    /// The time in which a server has said something, but almost nothing.
    struct Drip {
        private var receivedByteCount: Int64 = 0
        private(set) var byteCount: Int64 = 0
        private(set) var stepCount = 0

        /// In a step: fewer bytes are as good as none. A second is the usual step.
        private static let leastByteCount: Int64 = 16

        /// Counts a step.
        ///
        /// - Parameter received: The bytes of the response so far.
        mutating func note(_ received: Int64, isRunning: Bool) {
            let new = received - receivedByteCount
            receivedByteCount = received
            // Before the first byte the request may wait for others, or for its own body.
            guard isRunning, received > 0, new < Self.leastByteCount else {
                (stepCount, byteCount) = (0, 0)
                return
            }
            stepCount += 1
            byteCount += new
        }
    }

    private static let stepsPerNotice = 5

    private static let queue = DispatchQueue(label: "byteclub.silence")

    /// Starts watching; nil where there is no time for it.
    ///
    /// - Parameters:
    ///   - limit: How long the request may be silent before it fails.
    ///   - interval: How often to tell the observer of this task, if there is one.
    init?(_ task: URLSessionTask, limit: Duration, every interval: Duration) {
        guard interval < limit else { return nil }
        (self.task, self.limit) = (task, limit)
        observer = RetryNotice.observer
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

    private enum Finding {
        case ended
        case silent(stepCount: Int)
        case dripping
    }

    private func look() {
        switch find() {
        case .ended: return
        case .dripping: return task.cancel()
        case .silent(let count):
            let left = limit - step * count
            if left > .zero, count > 0, count.isMultiple(of: Self.stepsPerNotice) {
                observer?(RetryNotice(reason: .silent(step * count), wait: left))
            }
            lookLater()
        }
    }

    private func find() -> Finding {
        let received = task.countOfBytesReceived
        let byteCount = task.countOfBytesSent + received
        // What is limited on purpose may be as slow.
        let isRunning = task.state == .running && task.maximumReceivingRate == nil
        return state.withLock { state in
            guard !state.isEnded, !state.hasGivenUp else { return .ended }
            state.silentStepCount = byteCount == state.byteCount ? state.silentStepCount + 1 : 0
            state.byteCount = byteCount
            state.drip.note(received, isRunning: isRunning)
            // Without any byte the time limit of the request holds.
            if step * state.drip.stepCount >= limit, state.drip.byteCount > 0 {
                state.hasGivenUp = true
                return .dripping
            }
            return .silent(stepCount: max(state.silentStepCount, state.drip.stepCount))
        }
    }
}
