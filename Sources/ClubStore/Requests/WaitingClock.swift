import FoundationEssentials

/// Time and randomness, in one place so that tests can replace them.
struct WaitingClock: Sendable {
    var date: @Sendable () -> Date = { Date() }

    /// From 0 up to 1.
    var jitter: @Sendable () -> Double = { Double.random(in: 0..<1) }

    /// Returns early when the task is cancelled.
    var sleep: @Sendable (Duration) async -> Void = { try? await Pause.sleep(for: $0) }

    /// - Throws: `.cancelled`.
    func wait(
        _ duration: Duration, during operation: StoreError.Operation, at path: RemotePath?
    ) async throws(StoreError) {
        await sleep(duration)
        if Task.isCancelled { throw StoreError(.cancelled, during: operation, at: path) }
    }
}
