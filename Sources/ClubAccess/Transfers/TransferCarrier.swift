package import ClubLibrary
package import ClubStore
internal import Dispatch
internal import Files
internal import FoundationEssentials
package import Pictures

/// Carries out the transfers of one club's journal, a few at a time, until nothing is left to do.
///
/// It learns what is wanted from the journal alone, and says there how far it is: who asks may end at any
/// moment. One carrier for each journal; see ``CarrierProcess``.
@MainActor package final class TransferCarrier {
    let journal: TransferJournal
    let means: Means
    private let slotCount: Int
    private var jobs: [String: Task<Void, Never>] = [:]
    private var transfers: [String: any Transfer] = [:]
    private let signal: Signal

    /// What it works with.
    package struct Means: Sendable {
        /// Opens the club's store, or returns the open one.
        package var open: @Sendable () async throws(StoreError) -> any RemoteStore
        package var club: ErrorMessage.ClubKind
        /// Told what was uploaded.
        package var changes: OwnChanges?
        package var clock: TransferClock
        /// Prepare the photos.
        package var workers: PictureWorkers

        package init(
            club: ErrorMessage.ClubKind, changes: OwnChanges? = nil,
            clock: TransferClock = .system, workers: PictureWorkers = .shared,
            open: @escaping @Sendable () async throws(StoreError) -> any RemoteStore
        ) {
            self.club = club
            self.changes = changes
            self.clock = clock
            self.workers = workers
            self.open = open
        }
    }

    /// - Parameter slotCount: How many transfers run at once.
    package init(_ journal: TransferJournal, means: Means, slotCount: Int = 2) {
        self.journal = journal
        self.means = means
        self.slotCount = slotCount
        signal = Signal(by: means.clock)
    }

    /// How many transfers are under way; nil while it looks at the orders.
    var jobCountAtRest: Int? { signal.isAwaited ? jobs.count : nil }

    /// Returns when nothing was left to do for a while, or when its task is cancelled and all has stopped.
    package func run(idleTime: Duration = .seconds(2)) async {
        let watch = FolderWatch(journal.folder.path, on: .main) { @Sendable [weak self] names in
            // What it says itself is nothing new.
            guard names.isEmpty || names.contains(where: { $0.hasSuffix(".order") }) else { return }
            MainActor.assumeIsolated { self?.lookAgain() }
        }
        defer { withExtendedLifetime(watch) {} }
        while !Task.isCancelled {
            let items = await Self.items(of: journal, at: means.clock.date())
            let nextAttempt = await arrange(items)
            if jobs.isEmpty, nextAttempt == nil {
                guard await signal.wait(atMost: idleTime) == .sent else { break }
            } else {
                // Without a watch it looks once a second.
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
    }

    /// Has it read the orders again, as after a change of one.
    func lookAgain() { signal.send() }

    /// Starts and stops what the orders want.
    ///
    /// - Parameter items: As they were read a moment ago. A transfer may have ended since: it is read once
    ///   more before something is done about it.
    /// - Returns: When the next attempt is due; nil when nothing waits.
    func arrange(_ items: [TransferItem]) async -> Date? {
        let wanted = Set(items.filter(\.isWanted).map(\.id))
        for (id, job) in jobs where !wanted.contains(id) { job.cancel() }
        var nextAttempt: Date?
        for item in items {
            transfers[item.id]?.bytesPerSecondLimit = item.order.bytesPerSecondLimit
            guard jobs[item.id] == nil else { continue }
            if let due = item.due(after: means.clock.date()) {
                nextAttempt = min(nextAttempt ?? due, due)
            } else if item.isWanted ? jobs.count < slotCount : item.state != item.status.state {
                // A job leaves the list after its last state is on the disk: this one is the latest.
                let now = means.clock.date()
                guard let item = await Self.item(item.id, in: journal, at: now) else { continue }
                if !item.isWanted {
                    await settle(item)
                } else if item.due(after: now) == nil {
                    start(item)
                }
            }
        }
        return nextAttempt
    }

    /// Says of a transfer that is not to go on, and does not, that it has stopped.
    private func settle(_ item: TransferItem) async {
        guard item.state != item.status.state else { return }
        var status = item.status
        status.state = item.state
        status.bytesPerSecond = nil
        status.nextAttempt = nil
        await write(status, of: item.id)
    }

    private func start(_ item: TransferItem) {
        jobs[item.id] = Task {
            await TransferJob(item, of: self).run()
            jobs[item.id] = nil
            transfers[item.id] = nil
            signal.send()
        }
    }

    /// Lets the limit of a transfer under way be changed.
    func didStart(_ transfer: any Transfer, of id: String) { transfers[id] = transfer }

    func write(_ status: TransferStatus, of id: String) async {
        var status = status
        status.updated = means.clock.date()
        await Self.write(status, of: id, in: journal)
    }

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

    /// What cannot be written is not told; the transfer goes on all the same.
    @concurrent private static func write(
        _ status: TransferStatus, of id: String, in journal: TransferJournal
    ) async {
        try? journal.write(status, of: id)
    }
}

extension TransferItem {
    /// When it is tried again, unless it is due or was asked for since.
    fileprivate func due(after now: Date) -> Date? {
        guard isWanted, order.retryCount <= status.retryCount, let due = status.nextAttempt,
            due > now
        else { return nil }
        return due
    }
}

/// Wakes one waiting loop; what comes while nobody waits is not lost.
@MainActor private final class Signal {
    enum WaitResult {
        case sent
        /// The time is over, or the task is cancelled.
        case over
    }

    private var isSent = false
    private var waiter: CheckedContinuation<WaitResult, Never>?
    private var timer: Task<Void, Never>?
    private let clock: TransferClock

    init(by clock: TransferClock) {
        self.clock = clock
    }

    var isAwaited: Bool { waiter != nil }

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
                guard let time else { return }
                timer = Task { [weak self, clock] in
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
        continuation.resume(returning: result)
    }
}
