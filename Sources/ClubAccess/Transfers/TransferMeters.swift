/// The rate of a transfer, and the count of bytes to show for it.
///
/// The bytes of an upload are reported in bursts, which are smoothed; downloaded bytes are on this computer.
package struct TransferMeters {
    package private(set) var progress: TransferProgress
    private var spread: SpreadProgress?

    /// - Parameters:
    ///   - isUpload: Whether the count is smoothed.
    ///   - byteCount: The initial count: it counts for no rate.
    package init(expecting expected: Int64, isUpload: Bool, startingAt byteCount: Int64 = 0) {
        progress = TransferProgress(expectedByteCount: expected)
        spread = isUpload ? SpreadProgress(startingAt: byteCount) : nil
    }

    /// What moved before counts for no rate any more: what follows is sent again, or was there already.
    package mutating func restart(at byteCount: Int64, expecting expected: Int64) {
        self = TransferMeters(
            expecting: expected, isUpload: spread != nil, startingAt: byteCount)
    }

    /// Adds a report to the count.
    package mutating func recordCount(_ byteCount: Int64, at time: Duration) {
        spread?.record(byteCount, at: time)
    }

    /// Adds a count to the rate.
    package mutating func recordRate(_ byteCount: Int64, of expected: Int64, at time: Duration) {
        progress.record(byteCount: byteCount, of: expected, at: time)
    }

    /// The bytes to show of those reported.
    package func shown(_ byteCount: Int64, at time: Duration) -> Int64 {
        spread?.shown(at: time) ?? byteCount
    }

    /// Whether the shown count will still grow without another report.
    package func isMoving(at time: Duration) -> Bool { spread?.isMoving(at: time) == true }
}
