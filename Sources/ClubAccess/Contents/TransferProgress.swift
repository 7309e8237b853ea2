/// The progress and rate of a transfer, computed from byte counts and times.
///
/// The rate is an average over the last few seconds, so that the remaining time is steady. Times are offsets
/// on any monotonic clock.
public struct TransferProgress: Sendable, Equatable {
    /// Bytes transferred, and the total.
    public private(set) var byteCount: Int64 = 0
    public private(set) var expectedByteCount: Int64

    private var samples: [Sample] = []
    private static let window: Duration = .seconds(4)
    /// The minimum time before the rate can be estimated.
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

    /// From 0 to 1; 1 means that all bytes were transferred, not that the server has confirmed them.
    public var fraction: Double {
        guard expectedByteCount > 0 else { return 0 }
        return min(1, Double(byteCount) / Double(expectedByteCount))
    }

    /// The rate over the last few seconds; nil while it cannot be estimated.
    public var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let elapsed = last.time - first.time
        guard elapsed >= Self.settling, last.byteCount > first.byteCount else { return nil }
        return Double(last.byteCount - first.byteCount) / (elapsed / .seconds(1))
    }

    /// The remaining time at this rate; nil while it cannot be estimated.
    public var timeLeft: Duration? {
        guard let bytesPerSecond, expectedByteCount > byteCount else { return nil }
        return .seconds(min(1e9, Double(expectedByteCount - byteCount) / bytesPerSecond))
    }
}
