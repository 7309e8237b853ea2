package import ClubLibrary
package import ClubStore
internal import Dispatch
internal import ByteClubFiles
internal import FoundationEssentials
package import ByteClubPictures

/// Performs the transfers of a club's journal, a few at a time, until none are left.
///
/// It reads orders from the journal and writes their status there: the program that requested a transfer may
/// exit at any time. One carrier per journal; see ``CarrierProcess``.
@MainActor package final class TransferCarrier {
    let journal: TransferJournal
    let means: Means
    let prepared = PreparedUploads()
    private var jobs: [String: Task<Void, Never>] = [:]
    private var transfers: [String: any StoreTransfer] = [:]
    /// The limits of the orders as last read; an order can change while its job prepares the file.
    private var rates: [String: Int64?] = [:]
    private let signal: Signal

    /// The carrier's dependencies.
    package struct Means: Sendable {
        /// Opens the club's store, or returns the open one.
        package var open: @Sendable () async throws(StoreError) -> any RemoteStore
        package var club: ErrorMessage.ClubKind
        /// Records uploads.
        package var changes: OwnChanges?
        package var clock: TransferClock
        /// Prepare the photos.
        package var workers: PictureWorkers
        /// The number of concurrent transfers, read whenever the orders are read.
        package var slotCount: @Sendable () -> Int

        package init(
            club: ErrorMessage.ClubKind, changes: OwnChanges? = nil,
            clock: TransferClock = .system, workers: PictureWorkers = .shared,
            slotCount: @escaping @Sendable () -> Int = { TransferSettings().atOnce },
            open: @escaping @Sendable () async throws(StoreError) -> any RemoteStore
        ) {
            self.club = club
            self.changes = changes
            self.clock = clock
            self.workers = workers
            self.slotCount = slotCount
            self.open = open
        }
    }

    package init(_ journal: TransferJournal, means: Means) {
        self.journal = journal
        self.means = means
        signal = Signal(by: means.clock)
    }

    /// The number of active transfers; nil while the orders are processed.
    var jobCountAtRest: Int? { signal.isAwaited ? jobs.count : nil }

    /// Called when it starts waiting without a time limit; with a limit, the clock is asked for it.
    var didComeToRest: (() -> Void)? {
        get { signal.didBeginWaiting }
        set { signal.didBeginWaiting = newValue }
    }

    /// Returns after it has been idle for a while, or when its task was cancelled and everything has stopped.
    package func run(idleTime: Duration = .seconds(2)) async {
        let watch = FolderWatch(journal.folder.path, on: .main) { @Sendable [weak self] names in
            // Ignores its own status files.
            guard names.isEmpty || names.contains(where: { $0.hasSuffix(".order") }) else { return }
            MainActor.assumeIsolated { self?.lookAgain() }
        }
        while !Task.isCancelled {
            let items = await Self.items(of: journal, at: means.clock.date())
            let nextAttempt = await arrange(items)
            if jobs.isEmpty, nextAttempt == nil {
                guard await signal.wait(atMost: idleTime) == .sent else { break }
            } else {
                // Without a watch, polls once a second.
                let pause = watch == nil ? Duration.seconds(1) : nil
                let wait = nextAttempt.map {
                    let longest = TransferStatus.longestWait
                    return Duration.seconds(
                        max(0, min($0.timeIntervalSince(means.clock.date()), longest)))
                }
                _ = await signal.wait(atMost: [pause, wait].compactMap { $0 }.min())
            }
        }
        for job in jobs.values { job.cancel() }
        for job in jobs.values { await job.value }
        withExtendedLifetime(watch) {}
    }

    /// Reads the orders again, as after a change.
    func lookAgain() { signal.send() }

    /// Starts and stops transfers according to the orders.
    ///
    /// - Parameter items: The transfers as just read. One may have finished since: it is read again before it
    ///   is acted upon.
    /// - Returns: When the next attempt is due; nil if none is waiting.
    func arrange(_ items: [TransferItem]) async -> Date? {
        let wanted = Set(items.filter(\.isWanted).map(\.id))
        for (id, job) in jobs where !wanted.contains(id) { job.cancel() }
        let slotCount = await Self.slotCount(of: means)
        var nextAttempt: Date?
        rates = [:]
        for item in items.inTurn {
            rates.updateValue(item.order.bytesPerSecondLimit, forKey: item.id)
            transfers[item.id]?.bytesPerSecondLimit = item.order.bytesPerSecondLimit
            guard jobs[item.id] == nil else { continue }
            if let due = item.due(after: means.clock.date()) {
                nextAttempt = min(nextAttempt ?? due, due)
            } else if item.isWanted ? jobs.count < slotCount : item.state != item.status.state {
                // A job is removed after its last state was written: this state is the latest.
                let now = means.clock.date()
                guard let item = await Self.item(item.id, in: journal, at: now) else { continue }
                if !item.isWanted {
                    await markStopped(item)
                } else if item.due(after: now) == nil {
                    start(item)
                }
            }
        }
        return nextAttempt
    }

    /// Marks a transfer that was stopped by its order as stopped.
    private func markStopped(_ item: TransferItem) async {
        prepared.remove(item.id)
        guard item.state != item.status.state else { return }
        var status = item.status
        status.state = item.state
        status.bytesPerSecond = nil
        status.nextAttempt = nil
        status.byteCount = min(status.byteCount, await keptByteCount(of: item.order))
        await write(status, of: item.id)
    }

    /// What the server has kept of an upload, which may be less than what was sent: the next attempt continues from
    /// there. A download is kept here, without a limit.
    func keptByteCount(of order: TransferOrder) async -> Int64 {
        guard order.direction == .upload else { return .max }
        return await Self.keptByteCount(in: journal.uploadRecord(of: order.id))
    }

    @concurrent private static func keptByteCount(in record: URL) async -> Int64 {
        UploadRecord.keptByteCount(in: record)
    }

    private func start(_ item: TransferItem) {
        jobs[item.id] = Task {
            await TransferJob(item, of: self).run()
            jobs[item.id] = nil
            transfers[item.id] = nil
            signal.send()
        }
    }

    /// Sets the rate limit of a transfer, and changes it with its order.
    func didStart(_ transfer: any StoreTransfer, of order: TransferOrder) {
        transfer.bytesPerSecondLimit = rates[order.id] ?? order.bytesPerSecondLimit
        transfers[order.id] = transfer
    }

    func write(_ status: TransferStatus, of id: String) async {
        var status = status
        status.updated = means.clock.date()
        await Self.write(status, of: id, in: journal)
    }

    /// It may be read from a file.
    @concurrent private static func slotCount(of means: Means) async -> Int { means.slotCount() }

    @concurrent private static func items(
        of journal: TransferJournal, at now: Date
    ) async -> [TransferItem] {
        journal.items(at: now)
    }

    @concurrent static func item(
        _ id: String, in journal: TransferJournal, at now: Date
    ) async -> TransferItem? {
        journal.item(id, at: now)
    }

    /// A status that cannot be written is skipped; the transfer continues.
    @concurrent private static func write(
        _ status: TransferStatus, of id: String, in journal: TransferJournal
    ) async {
        try? journal.write(status, of: id)
    }
}

extension TransferItem {
    /// When it is retried; nil if it is due, or a retry was requested.
    fileprivate func due(after now: Date) -> Date? {
        guard isWanted, order.retryCount <= status.retryCount, let due = status.nextAttempt,
            due > now
        else { return nil }
        return due
    }
}

/// Wakes one waiting loop; a signal sent while no one waits is kept.
@MainActor private final class Signal {
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
