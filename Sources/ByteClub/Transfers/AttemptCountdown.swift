internal import ClubLibrary
internal import TerminalUI

/// Redraws the status of a waiting transfer once a second, for its countdown.
@MainActor final class AttemptCountdown {
    private var next: ScheduledAction?

    /// - Parameter redraw: Called a second later if an item waits for its next attempt; repeats according to
    ///   the state then.
    func follow(
        _ items: [TransferItem], of application: Application?,
        redraw: @escaping @MainActor @Sendable () -> Void
    ) {
        next?.cancel()
        next = nil
        guard items.contains(where: { $0.status.nextAttempt != nil && $0.isWanted }) else { return }
        next = application?.scheduler.schedule(after: .seconds(1), redraw)
    }
}
