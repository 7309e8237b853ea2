/// Counts the bytes of a body that have arrived and were not consumed yet, and says when to hold the
/// transfer and when to let it go on.
struct FlowControl: Sendable {
    /// The transfer is held above this many bytes…
    var highWater = 1 << 20
    /// …and let go at or below this many.
    var lowWater = 512 << 10

    private(set) var waitingByteCount = 0
    private(set) var isHolding = false

    /// Returns whether the transfer has to be held now.
    mutating func add(_ byteCount: Int) -> Bool {
        waitingByteCount += byteCount
        guard !isHolding, waitingByteCount > highWater else { return false }
        isHolding = true
        return true
    }

    /// Returns whether the transfer may go on now.
    mutating func remove(_ byteCount: Int) -> Bool {
        waitingByteCount -= byteCount
        guard isHolding, waitingByteCount <= lowWater else { return false }
        isHolding = false
        return true
    }
}
