import Synchronization

/// Turns totals into differences: how many bytes are new since the last time.
final class SentBytes: Sendable {
    private let total = Mutex<Int64>(0)

    func newlySent(_ newTotal: Int64) -> Int64 {
        total.withLock { total in
            defer { total = newTotal }
            return max(0, newTotal - total)
        }
    }

    /// A request is sent again from its beginning.
    func reset() {
        total.withLock { $0 = 0 }
    }
}
