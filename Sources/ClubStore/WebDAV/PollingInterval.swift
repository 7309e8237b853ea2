/// The delay between two polls: a few seconds while there are changes, a minute after a long time
/// without.
struct PollingInterval: Hashable, Sendable {
    private(set) var rest: Duration
    private let shortest: Duration
    private let longest: Duration

    init(from shortest: Duration, upTo longest: Duration) {
        rest = shortest
        self.shortest = shortest
        self.longest = longest
    }

    mutating func foundNothing() {
        rest = min(rest * 1.25, longest)
    }

    mutating func foundSomething() {
        rest = shortest
    }
}
