import Synchronization

/// Counts a connection's bytes, with the time of the last.
final class TransferMeter: Sendable {
    private let count = Atomic<Int>(0)
    private let nanoseconds: Atomic<Int>
    private let beginning: ContinuousClock.Instant

    init(at now: ContinuousClock.Instant = .now) {
        beginning = now
        nanoseconds = Atomic(0)
    }

    var byteCount: Int { count.load(ordering: .relaxed) }
    var lastMoved: ContinuousClock.Instant {
        beginning + .nanoseconds(nanoseconds.load(ordering: .relaxed))
    }

    func note(_ byteCount: Int, at now: ContinuousClock.Instant = .now) {
        count.add(byteCount, ordering: .relaxed)
        nanoseconds.store(Int(clamping: (now - beginning) / .nanoseconds(1)), ordering: .relaxed)
    }
}

extension Int {
    /// A number of nanoseconds, without a fraction.
    fileprivate init(clamping value: Double) {
        self = value >= Double(Int.max) ? .max : Int(value)
    }
}
