internal import ClubStore
package import FoundationEssentials

/// The time by which transfers wait, are due and are measured: the system's, or in tests a simulated one.
package struct TransferClock: Sendable {
    package var date: @Sendable () -> Date
    /// The time since some moment, by a clock that is never set.
    package var elapsed: @Sendable () -> Duration
    /// Returns after the duration, or throws `CancellationError` at once when the task is cancelled.
    package var sleep: @MainActor @Sendable (Duration) async throws -> Void

    package init(
        date: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @MainActor @Sendable (Duration) async throws -> Void
    ) {
        self.date = date
        self.elapsed = elapsed
        self.sleep = sleep
    }

    package static let system = {
        let start = ContinuousClock.now
        return TransferClock(
            date: { Date() }, elapsed: { start.duration(to: .now) },
            sleep: { try await Pause.sleep(for: $0) })
    }()
}
