internal import ClubLibrary
internal import ClubStore

/// The status of a transfer that runs, written to the journal about ten times a second.
@MainActor final class TransferReporter {
    let order: TransferOrder
    var status: TransferStatus
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
        status.forgetReason()
        meters = TransferMeters(
            expecting: status.totalByteCount, isUpload: order.direction == .upload,
            startingAt: status.byteCount)
    }

    /// The bytes transferred so far, as the store reports them.
    func didMove(_ byteCount: Int64, of expected: Int64) {
        status.totalByteCount = expected
        guard byteCount > 0 || hasMoved else { return reportSoon() }
        hasMoved = true
        if byteCount > status.byteCount { status.forgetReason() }
        // A part is sent again.
        if byteCount < meters.progress.byteCount { restartMeters(at: byteCount) }
        meters.measure(byteCount, of: expected, at: time)
        meters.count(byteCount, at: time)
        status.byteCount = byteCount
        hasSentAll = TransferItem(order: order, status: status).isConfirming
        status.bytesPerSecond = meters.progress.bytesPerSecond
        reportSoon()
        if watch == nil { watchForStalls() }
    }

    /// Measures from here on; what moved before counts for no rate.
    func restartMeters(at byteCount: Int64) {
        meters.restart(at: byteCount, expecting: status.totalByteCount)
    }

    /// Takes the rate away while nothing moves.
    private func watchForStalls() {
        watch = Task { [weak self] in
            var seen: Int64?
            while (try? await Pause.sleep(for: Self.stallTime)) != nil, let self {
                if seen == status.byteCount, status.bytesPerSecond != nil {
                    status.bytesPerSecond = nil
                    report()
                }
                seen = status.byteCount
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

    /// Writes the status now or, if one was just written, at the end of the interval.
    func reportSoon() {
        let rest = reportedAt.map { Self.interval - (clock.elapsed() - $0) } ?? .zero
        guard rest > .zero else { return report() }
        guard pending == nil else { return }
        pending = Task {
            try? await clock.sleep(rest)
            guard !Task.isCancelled else { return }
            report()
        }
    }

    /// Writes the status now.
    ///
    /// - Parameter state: Its new state; nil if that has not changed.
    func report(_ state: TransferStatus.State? = nil) {
        if let state { status.state = state }
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
        status.preparedFraction = nil
        report()
        await writing?.value
    }
}
