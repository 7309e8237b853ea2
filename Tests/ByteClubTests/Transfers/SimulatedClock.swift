import Foundation

@testable import ClubAccess

/// A clock that stands still until a test moves it on, from one moment that somebody waits for to the next.
@MainActor final class SimulatedClock {
    /// Since midnight.
    private(set) var time = Duration.zero
    /// By how much the date is wrong: somebody has set it.
    var lead = Duration.zero
    /// Those that wait to be woken, by their number.
    private var sleepers: [Int: Sleeper] = [:]
    private var lastSleeper = 0
    /// How many are woken and have not gone on yet.
    private(set) var wakingCount = 0
    /// Called when a sleeper begins to wait, and when one has woken.
    var didChange: (() -> Void)?

    private struct Sleeper {
        var due: Duration
        var isTransfer: Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    /// A Monday.
    nonisolated static let midnight = Date(timeIntervalSince1970: 1_767_571_200)

    /// For the code under test. It asks on the main actor, from where its tasks come.
    var transferClock: TransferClock {
        TransferClock(
            date: { [self] in MainActor.assumeIsolated { date } },
            elapsed: { [self] in MainActor.assumeIsolated { time } },
            sleep: { [self] in try await sleep(for: $0) })
    }

    var date: Date { Self.midnight.addingTimeInterval((time + lead) / .seconds(1)) }

    /// When the next sleeper is due.
    var nextDue: Duration? { sleepers.values.map(\.due).min() }

    /// How many transfers wait for their bytes.
    var waitingTransferCount: Int { sleepers.values.count(where: \.isTransfer) }

    func sleep(for duration: Duration, isTransfer: Bool = false) async throws {
        lastSleeper += 1
        let number = lastSleeper
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                sleepers[number] = Sleeper(
                    due: time + max(duration, .zero), isTransfer: isTransfer,
                    continuation: continuation)
                if Task.isCancelled { wake(number) }
                didChange?()
            }
        } onCancel: {
            // Tasks are cancelled on the main actor here.
            MainActor.assumeIsolated { wake(number) }
        }
        wakingCount -= 1
        didChange?()
        try Task.checkCancellation()
    }

    /// Moves on, and wakes those who are due.
    func advance(to moment: Duration) {
        time = max(time, moment)
        let due = sleepers.filter { $0.value.due <= time }
        for number in due.keys.sorted() { wake(number) }
    }

    private func wake(_ number: Int) {
        guard let sleeper = sleepers.removeValue(forKey: number) else { return }
        wakingCount += 1
        sleeper.continuation.resume()
    }
}
