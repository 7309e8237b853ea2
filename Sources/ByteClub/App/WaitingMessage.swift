internal import ClubAccess
internal import ClubStore
internal import TerminalUI

/// The message about a request that waits: until it is sent again, second by second, or for how long the club has
/// been silent. Goes with the answer, or when another message takes its place.
@MainActor final class WaitingMessage {
    private unowned let application: Application
    private var countdown: Task<Void, Never>?
    private var shown: String?

    init(_ application: Application) {
        self.application = application
    }

    func show(_ notice: RetryNotice) {
        countdown?.cancel()
        if case .silent = notice.reason {
            // The next notice comes five seconds later.
            return show(notice.sentence, for: .seconds(6))
        }
        let end = ContinuousClock.now + notice.wait
        shown = nil
        countdown = Task { [weak self] in
            while case let left = end - .now, left > .zero {
                guard let self, shown.map(application.isShowing) ?? true else { return }
                show(
                    RetryNotice(reason: notice.reason, wait: left).sentence,
                    for: min(left, .seconds(2)))
                guard (try? await Pause.sleep(for: .seconds(1))) != nil else { return }
            }
        }
    }

    /// The request has ended.
    func end() {
        countdown?.cancel()
        if let shown, application.isShowing(shown) { application.dismissMessage() }
        shown = nil
    }

    private func show(_ sentence: String, for duration: Duration) {
        application.showMessage(sentence, .warning, for: duration)
        shown = sentence
    }
}
