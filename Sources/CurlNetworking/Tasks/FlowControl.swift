/// Counts the bytes of a body that have arrived and were not consumed yet, and says when to hold the
/// transfer and when to let it go on.
///
/// Few bytes at first, and twice as many each time the receiver has caught up: one that only wants the beginning
/// of a body does not pay for a megabyte of it.
struct FlowControl: Sendable {
    /// The transfer is held above this many bytes…
    var highWater = 128 << 10
    /// …and let go at or below this many.
    var lowWater = 64 << 10

    static let largestHighWater = 1 << 20

    private(set) var waitingByteCount = 0
    private(set) var isHolding = false

    /// What a change means for the transfer.
    enum Change {
        case none
        /// It has to be held now.
        case full
        /// It may proceed now.
        case drained
    }

    mutating func add(_ byteCount: Int) -> Change {
        waitingByteCount += byteCount
        guard !isHolding, waitingByteCount > highWater else { return .none }
        isHolding = true
        return .full
    }

    mutating func remove(_ byteCount: Int) -> Change {
        waitingByteCount -= byteCount
        guard isHolding, waitingByteCount <= lowWater else { return .none }
        isHolding = false
        if highWater < Self.largestHighWater {
            highWater *= 2
            lowWater *= 2
        }
        return .drained
    }
}
