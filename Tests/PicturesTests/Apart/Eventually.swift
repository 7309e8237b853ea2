import TestSupport

/// Waits until something in another process is so, looking again and again.
func eventually(_ goal: String, _ isSo: () -> Bool) async throws {
    let end = ContinuousClock.now + TerminalDriver.patience
    while !isSo() {
        guard ContinuousClock.now < end else { throw NeverHappened(goal: goal) }
        try await Task.sleep(for: .milliseconds(2))
    }
}

struct NeverHappened: Error, CustomStringConvertible {
    let goal: String
    var description: String { "it never happened: \(goal)" }
}
