internal import ClubStore
package import FoundationEssentials

/// The time source for pauses, due dates and measurements: the system's, or a simulated one in tests.
package struct TransferClock: Sendable {
    package var date: @Sendable () -> Date
    /// The time of a monotonic clock.
    package var elapsed: @Sendable () -> Duration
    /// Returns after the duration, or throws `CancellationError` as soon as the task is cancelled.
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
