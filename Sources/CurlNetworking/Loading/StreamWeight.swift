import Glibc

/// How a task's priority is told to a server that sends many answers over one connection (RFC 7540 §5.3.2).
enum StreamWeight {
    /// From 1 to 256; 16, which is what a stream has that says nothing, for the default priority of 0.5.
    static func of(_ priority: Float) -> Int {
        guard priority.isFinite else { return 16 }
        return Int(exp2(Double(min(max(priority, 0), 1)) * 8).rounded())
    }
}
