internal import ClubLibrary
internal import TerminalUI

/// Has what is said of a waiting transfer drawn again once a second, so that its seconds count down.
@MainActor final class AttemptCountdown {
    private var next: ScheduledAction?

    /// - Parameter redraw: Called a second later if one of the items waits for its next attempt; it follows what
    ///   there is then.
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
