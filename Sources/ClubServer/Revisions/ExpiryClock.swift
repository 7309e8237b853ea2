/// The time by which kept revisions expire.
///
/// Not the computer's clock alone: one that is wrong for an hour (a new battery, a resumed machine) would remove all
/// that can be brought back. A leap ahead is believed when a start a day later still sees it. A value without a clock.
struct ExpiryClock: Hashable, Sendable {
    /// The latest time that is believed, in seconds since 1970.
    private(set) var believed: Int64
    /// A later time that was seen, not believed yet.
    private(set) var claimed: Int64?

    init(believed: Int64, claimed: Int64? = nil) {
        (self.believed, self.claimed) = (believed, claimed)
    }

    /// Without a clock of an earlier run.
    ///
    /// - Parameter latest: When something was last kept.
    init(latest: Int64?, now: Int64) {
        self.init(believed: latest ?? now)
        start(at: now)
    }

    /// A server starts.
    mutating func start(at now: Int64) {
        if now <= believed + Self.usualPause {
            believed = max(believed, now)
            claimed = nil
        } else if let proven = claimed, now >= proven + Self.proof {
            // Only what was seen twice. What is much later than that is a claim of its own.
            believed = proven
            claimed = nil
            start(at: now)
        } else {
            claimed = min(claimed ?? now, now)
        }
    }

    /// A longer time without a server must be seen twice.
    private static let usualPause: Int64 = 2 * 86_400
    /// How far apart the two starts are at least.
    private static let proof: Int64 = 86_400
}
