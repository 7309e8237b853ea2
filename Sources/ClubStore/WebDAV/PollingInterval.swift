/// How long to rest between two looks: a few seconds while things happen, a minute when nothing has
/// for long.
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
