internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

/// The status of a transfer that runs, written to the journal about ten times a second.
@MainActor final class TransferReporter {
    let order: TransferOrder
    private(set) var status: TransferStatus
    /// Whether the last byte was sent, also while what the server has refused is about to be sent again.
    private(set) var hasSentAll = false

    private let carrier: TransferCarrier
    private var meters: TransferMeters
    /// Whether any bytes were transferred in this attempt. Until then the earlier count is shown.
    private var hasMoved = false
    private let began: Duration
    private var reportedAt: Duration?
    private var pending: Task<Void, Never>?
    /// Notices when no bytes move any more: nothing is reported then.
    private var watch: Task<Void, Never>?
    /// Statuses are written one after the other, the last one last.
    private var writing: Task<Void, Never>?

    private static let interval = Duration.milliseconds(100)
    /// A rate is no longer true after this time without a byte.
    private static let stallTime = Duration.seconds(4)

    private var clock: TransferClock { carrier.means.clock }
    /// The time since the attempt began.
    private var time: Duration { clock.elapsed() - began }

    /// - Parameter item: The transfer as it was before this attempt.
    init(_ item: TransferItem, of carrier: TransferCarrier) {
        order = item.order
        self.carrier = carrier
        began = carrier.means.clock.elapsed()
        status = item.status
        if order.retryCount > status.retryCount { status.failureCount = 0 }
        status.retryCount = order.retryCount
        status.silentSeconds = nil
        status.forgetReason()
        meters = TransferMeters(
            expecting: status.totalByteCount, isUpload: order.direction == .upload,
            startingAt: status.byteCount)
    }

    // MARK: - While it runs

    /// The photo is being prepared from now on.
    func beganPreparing() {
        report(.preparing)
    }

    /// - Parameter fraction: From 0 to 1.
    func didPrepare(_ fraction: Double) {
        status.preparedFraction = fraction
        reportSoon()
    }

    /// Bytes move from now on.
    ///
    /// - Parameter byteCount: How many; nil if only the store knows.
    func began(byteCount: Int64? = nil) {
        status.preparedFraction = nil
        if let byteCount { status.totalByteCount = byteCount }
        report(.running)
    }

    /// The bytes transferred so far, as the store reports them.
    func didMove(_ byteCount: Int64, of expected: Int64) {
        status.totalByteCount = expected
        guard byteCount > 0 || hasMoved else { return reportSoon() }
        hasMoved = true
        if byteCount != status.byteCount { status.silentSeconds = nil }
        if byteCount > status.byteCount { status.forgetReason() }
        // A part is sent again.
        if byteCount < meters.progress.byteCount { restartMeters(at: byteCount) }
        meters.recordRate(byteCount, of: expected, at: time)
        meters.recordCount(byteCount, at: time)
        status.byteCount = byteCount
        hasSentAll = TransferItem(order: order, status: status).isConfirming
        status.bytesPerSecond = meters.progress.bytesPerSecond
        reportSoon()
        if watch == nil { watchForStalls() }
    }

    /// A request waits to be repeated.
    ///
    /// - Parameter kept: How many of the bytes need not move again.
    func willRetry(_ failure: TransferFailure, at date: Date, keeping kept: Int64) {
        status.note(failure, about: order)
        status.nextAttempt = date
        status.bytesPerSecond = nil
        status.byteCount = kept
        restartMeters(at: kept)
        report()
    }

    /// Somebody wants the transfer to try again, which it does anyway.
    func didAskAgain(_ retryCount: Int) {
        status.retryCount = retryCount
        status.failureCount = 0
        report()
    }

    /// More is kept than before: failures until now do not count.
    func didAdvance() {
        status.failureCount = 0
    }

    // MARK: - How it ends

    /// How an attempt ends.
    enum End {
        case arrived(RemoteFile)
        /// Its order stops it, or its carrier exits.
        case stopped(TransferStatus.State)
        case waiting(TransferFailure, until: Date)
        case failed(TransferFailure)
        /// For a reason that has no sentence.
        case broken(reason: String)
    }

    /// - Parameter kept: How many of the bytes that moved need not move again.
    func end(_ end: End, keeping kept: Int64 = .max) {
        switch end {
        case .arrived(let file):
            status.state = .done
            status.forgetReason()
            status.path = file.path.string
            status.revision = file.revision.rawValue
            (status.byteCount, status.totalByteCount) = (file.byteCount, file.byteCount)
        case .stopped(let state):
            status.state = state
            if state != .waiting { status.forgetReason() }
        case .waiting(let failure, let date):
            didFail(.waiting, failure)
            status.nextAttempt = date
        case .failed(let failure):
            didFail(.failed, failure)
        case .broken(let reason):
            didFail(.failed, nil)
            status.reason = reason
        }
        status.byteCount = min(status.byteCount, kept)
    }

    private func didFail(_ state: TransferStatus.State, _ failure: TransferFailure?) {
        status.failureCount += 1
        status.state = state
        if let failure { status.note(failure, about: order) }
    }

    // MARK: - Measuring

    /// Measures from here on; what moved before counts for no rate.
    private func restartMeters(at byteCount: Int64) {
        meters.restart(at: byteCount, expecting: status.totalByteCount)
    }

    /// While nothing moves, takes the rate away and says so.
    private func watchForStalls() {
        watch = Task { [weak self] in
            var seen: Int64?
            var silence = Duration.zero
            while (try? await Pause.sleep(for: Self.stallTime)) != nil, let self {
                silence = seen == status.byteCount ? silence + Self.stallTime : .zero
                seen = status.byteCount
                guard silence > .zero, status.state == .running else { continue }
                status.bytesPerSecond = nil
                status.silentSeconds = silence / .seconds(1)
                report()
            }
        }
    }

    /// The status to show: downloaded bytes are here, uploaded ones may still be in transit.
    private var shownStatus: TransferStatus {
        var shown = status
        if status.state == .running {
            shown.byteCount = min(
                status.byteCount, meters.shown(status.byteCount, at: time))
        }
        return shown
    }

    // MARK: - Writing

    /// Writes the status now or, if one was just written, at the end of the interval.
    private func reportSoon() {
        let rest = reportedAt.map { Self.interval - (clock.elapsed() - $0) } ?? .zero
        guard rest > .zero else { return report() }
        guard pending == nil else { return }
        pending = Task {
            try? await clock.sleep(rest)
            guard !Task.isCancelled else { return }
            report()
        }
    }

    private func report(_ state: TransferStatus.State) {
        status.state = state
        report()
    }

    /// Writes the status now.
    func report() {
        dropPending()
        reportedAt = clock.elapsed()
        let (before, status) = (writing, shownStatus)
        writing = Task {
            await before?.value
            await carrier.write(status, of: order.id)
        }
        if status.byteCount < self.status.byteCount { reportSoon() }
    }

    /// Forgets a report that is due later.
    func dropPending() {
        pending?.cancel()
        pending = nil
    }

    /// Writes the last status, and returns when it is written.
    func finish() async {
        watch?.cancel()
        status.bytesPerSecond = nil
        status.silentSeconds = nil
        status.preparedFraction = nil
        report()
        await writing?.value
    }
}
