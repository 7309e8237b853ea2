/// The delay between two polls: a few seconds while there are changes, a minute after a long time
/// without.
struct PollingInterval: Hashable, Sendable {
    private(set) var current: Duration
    private let shortest: Duration
    private let longest: Duration

    init(from shortest: Duration, upTo longest: Duration) {
        current = shortest
        self.shortest = shortest
        self.longest = longest
    }

    mutating func foundNothing() {
        current = min(current * 1.25, longest)
    }

    mutating func foundSomething() {
        current = shortest
    }
}
