import CurlNetworkingPlatform

/// Converts a task's priority to a weight among the streams of a connection (RFC 7540 §5.3.2).
enum StreamWeight {
    /// Returns a weight from 1 to 256. The default priority of 0.5 gives 16, the default weight.
    static func of(_ priority: Float) -> Int {
        guard priority.isFinite else { return 16 }
        return Int(exp2(Double(min(max(priority, 0), 1)) * 8).rounded())
    }
}
