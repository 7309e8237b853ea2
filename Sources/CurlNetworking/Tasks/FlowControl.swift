/// Counts body bytes received but not yet consumed; says when to pause and resume the transfer.
///
/// The limit starts low and doubles each time the receiver has caught up, so that a receiver that only wants
/// the beginning of a body does not buffer a megabyte.
struct FlowControl: Sendable {
    /// Pauses above this many bytes.
    var highWater = 128 << 10
    /// Resumes at or below this many bytes.
    var lowWater = 64 << 10

    static let largestHighWater = 1 << 20

    private(set) var waitingByteCount = 0
    private(set) var isHolding = false

    /// The effect of a change on the transfer.
    enum Change {
        case none
        /// Pause it.
        case full
        /// Resume it.
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
