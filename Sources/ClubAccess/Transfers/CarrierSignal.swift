/// Wakes one waiting loop; a signal sent while no one waits is kept.
@MainActor final class CarrierSignal {
    enum WaitResult {
        case sent
        /// The timeout has passed, or the task was cancelled.
        case over
    }

    var didBeginWaiting: (() -> Void)?
    private var isSent = false
    private var waiter: CheckedContinuation<WaitResult, Never>?
    private var timer: Task<Void, Never>?
    /// Whether the timer has not called the clock yet.
    private var isTimerStarting = false
    private let clock: TransferClock

    init(by clock: TransferClock) {
        self.clock = clock
    }

    var isAwaited: Bool { waiter != nil && !isTimerStarting }

    func send() {
        guard let waiter else { return isSent = true }
        end(waiter, .sent)
    }

    func wait(atMost time: Duration?) async -> WaitResult {
        if isSent {
            isSent = false
            return .sent
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter = continuation
                if Task.isCancelled { return end(continuation, .over) }
                guard let time else {
                    didBeginWaiting?()
                    return
                }
                isTimerStarting = true
                timer = Task { [weak self, clock] in
                    if !Task.isCancelled { self?.isTimerStarting = false }
                    try? await clock.sleep(time)
                    guard !Task.isCancelled, let self, let waiter else { return }
                    end(waiter, .over)
                }
            }
        } onCancel: {
            Task { @MainActor [weak self] in
                guard let self, let waiter else { return }
                end(waiter, .over)
            }
        }
    }

    private func end(_ continuation: CheckedContinuation<WaitResult, Never>, _ result: WaitResult) {
        waiter = nil
        timer?.cancel()
        timer = nil
        isTimerStarting = false
        continuation.resume(returning: result)
    }
}
