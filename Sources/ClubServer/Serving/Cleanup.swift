/// What is taken back when a server stops, or when its start fails.
struct Cleanup: Sendable {
    private var steps: [@Sendable () async -> Void] = []

    /// Adds a step, to be run before those that were added earlier.
    mutating func add(_ step: @escaping @Sendable () async -> Void) {
        steps.append(step)
    }

    func run() async {
        for step in steps.reversed() { await step() }
    }
}
