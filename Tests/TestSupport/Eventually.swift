/// Waits until something that is not reported has happened, in another process or on the disk: looks again and again.
public func eventually(
    _ goal: String, timeout: Duration = TerminalDriver.timeout,
    isolation: isolated (any Actor)? = #isolation, _ isSo: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + timeout
    while try !isSo() {
        guard ContinuousClock.now < end else { throw NeverHappened(goal: goal) }
        try await Task.sleep(for: .milliseconds(4))
    }
}

/// What was waited for, and did not come about.
public struct NeverHappened: Error, CustomStringConvertible {
    public let goal: String

    public init(goal: String) {
        self.goal = goal
    }

    public var description: String { "it never happened: \(goal)" }
}
