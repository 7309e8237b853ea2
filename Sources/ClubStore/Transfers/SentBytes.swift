import Synchronization

/// Turns running totals into increments.
final class SentBytes: Sendable {
    private let total = Mutex<Int64>(0)

    func newlySent(_ newTotal: Int64) -> Int64 {
        total.withLock { total in
            defer { total = newTotal }
            return max(0, newTotal - total)
        }
    }

    /// The request is being sent again from its beginning.
    func reset() {
        total.withLock { $0 = 0 }
    }
}
