import Synchronization

/// Counts the leases of a server. Each lease is an idle open connection; the kernel closes it with
/// its holder, even a killed one.
final class LeaseCounter: Sendable {
    private let state = Mutex(State())

    private struct State {
        var count = 0
        /// Grows with each lease, so that a timer can detect whether there was one since.
        var taken = 0
    }

    /// How long a server without leases waits for the next.
    static let grace = Duration.seconds(1)
    /// How long a server waits for its first lease.
    static let firstGrace = Duration.seconds(10)

    func take() {
        state.withLock { state in
            state.count += 1
            state.taken += 1
        }
    }

    /// - Returns: A number for ``isUnused(since:)`` if it was the last lease.
    func giveBack() -> Int? {
        state.withLock { state in
            state.count -= 1
            return state.count == 0 ? state.taken : nil
        }
    }

    /// Whether there is no lease and was none since a number was returned; 0 from the beginning.
    func isUnused(since taken: Int) -> Bool {
        state.withLock { $0.count == 0 && $0.taken == taken }
    }
}
