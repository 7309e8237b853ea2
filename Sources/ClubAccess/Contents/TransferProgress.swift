/// The progress and speed of a transfer: a value fed with byte counts and times.
///
/// The speed is an average over the last few seconds, so that the remaining time does not jump with
/// each packet. Times are offsets on any monotonic clock.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes moved so far and bytes to move in total.
    public private(set) var byteCount: Int64 = 0
    public private(set) var expectedByteCount: Int64

    private var samples: [Sample] = []
    private static let window: Duration = .seconds(4)
    /// Before this time has passed a speed would be a guess.
    private static let settling: Duration = .milliseconds(300)

    private struct Sample: Equatable {
        var time: Duration
        var byteCount: Int64
    }

    public init(expectedByteCount: Int64) {
        self.expectedByteCount = max(0, expectedByteCount)
    }

    /// Records that `byteCount` bytes had moved at `time`.
    public mutating func record(byteCount: Int64, of expected: Int64, at time: Duration) {
        if expected > 0 { expectedByteCount = expected }
        self.byteCount = max(self.byteCount, byteCount)
        samples.append(Sample(time: time, byteCount: self.byteCount))
        if let firstInside = samples.firstIndex(where: { time - $0.time <= Self.window }),
            firstInside > 1
        {
            samples.removeFirst(firstInside - 1)
        }
    }

    /// From 0 to 1; 1 means that all bytes have moved, not that the server has confirmed them.
    public var fraction: Double {
        guard expectedByteCount > 0 else { return 0 }
        return min(1, Double(byteCount) / Double(expectedByteCount))
    }

    /// Bytes per second over the last seconds, or nil while it is too early to tell.
    public var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let elapsed = last.time - first.time
        guard elapsed >= Self.settling, last.byteCount > first.byteCount else { return nil }
        return Double(last.byteCount - first.byteCount) / (elapsed / .seconds(1))
    }

    /// The time left at this speed, or nil while it is too early to tell.
    public var timeLeft: Duration? {
        guard let bytesPerSecond, expectedByteCount > byteCount else { return nil }
        return .seconds(min(1e9, Double(expectedByteCount - byteCount) / bytesPerSecond))
    }
}
