/// How many bytes the next request of an upload session carries: what the line moves in some seconds, so that a
/// slow line loses little when it breaks, and a fast one spends no time on requests.
struct ChunkPacing: Hashable, Sendable {
    let smallest: Int64
    let largest: Int64

    /// For the next request.
    private(set) var byteCount: Int64

    /// As much of a line's time goes into one request.
    private static let seconds = 4.0
    /// One request that was quick by chance makes the next one no larger than this many times.
    private static let growth: Int64 = 8

    init(smallest: Int64, largest: Int64) {
        precondition(smallest > 0 && largest > 0, "a request carries something")
        self.smallest = min(smallest, largest)
        self.largest = largest
        byteCount = self.smallest
    }

    /// Takes how long a request took, its answer included.
    ///
    /// One that carried less than the smallest says nothing about the line.
    mutating func note(_ sent: Int64, in time: Duration) {
        guard sent >= smallest else { return }
        let seconds = max(0.001, time / .seconds(1))
        let wanted = Double(sent) / seconds * Self.seconds
        let limit = min(largest, max(byteCount, sent) * Self.growth)
        let capped = wanted < Double(limit) ? Int64(wanted) : limit
        byteCount = min(largest, max(smallest, capped / smallest * smallest))
    }
}
