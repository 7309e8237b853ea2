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
    /// The jobs themselves.
    private var running: [String: TransferJob] = [:]
    private var transfers: [String: any StoreTransfer] = [:]
    /// The limits of the orders as last read; an order can change while its job prepares the file.
    private var rates: [String: Int64?] = [:]
    private let signal: CarrierSignal

    /// The last statuses of those transfers that could not be written, as on a full disk: they are the true ones, whatever
    /// the disk has. Else a transfer that has failed would begin again at once, for ever.
    private var unwritten: [String: TransferStatus] = [:]
    /// How often in a row they could not be written, and when that is tried again.
    private var writeFailureCount = 0
    private var nextWrite: Duration?
    /// The transfers that have a status to write over.
    private var reserved: Set<String> = []

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
        signal = CarrierSignal(by: means.clock)
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
            await reserveStatuses(of: items)
            await writeAgain(items)
            let nextAttempt = await arrange(items)
            if jobs.isEmpty, nextAttempt == nil, unwritten.isEmpty {
                guard await signal.wait(atMost: idleTime) == .sent else { break }
            } else {
                // Without a watch, polls once a second.
                let pause = watch == nil ? Duration.seconds(1) : nil
                let wait = nextAttempt.map {
                    let longest = TransferStatus.longestWait
                    return Duration.seconds(
                        max(0, min($0.timeIntervalSince(means.clock.date()), longest)))
                }
                let rewriting = nextWrite.map { max(.zero, $0 - means.clock.elapsed()) }
                _ = await signal.wait(atMost: [pause, wait, rewriting].compactMap { $0 }.min())
            }
        }
        for job in jobs.values { job.cancel() }
        for job in jobs.values { await job.value }
        withExtendedLifetime(watch) {}
    }

    /// Reads the orders again, as after a change.
    func lookAgain() {
        nextWrite = nil
        signal.send()
    }

    /// Starts and stops transfers according to the orders.
    ///
    /// - Parameter items: The transfers as just read. One may have finished since: it is read again before it
    ///   is acted upon.
    /// - Returns: When the next attempt is due; nil if none is waiting.
    func arrange(_ items: [TransferItem]) async -> Date? {
        let items = items.map { current($0) }
        let wanted = Set(items.filter(\.isWanted).map(\.id))
        for (id, job) in jobs where !wanted.contains(id) { job.cancel() }
        let slotCount = await Self.slotCount(of: means)
        var nextAttempt: Date?
        rates = [:]
        for item in items.inTurn {
            rates.updateValue(item.order.bytesPerSecondLimit, forKey: item.id)
            transfers[item.id]?.bytesPerSecondLimit = item.order.bytesPerSecondLimit
            guard jobs[item.id] == nil else {
                if running[item.id]?.tryAgain(item.order.retryCount) == .fromTheStart {
                    jobs[item.id]?.cancel()
                }
                continue
            }
            if let due = item.due(after: means.clock.date()) {
                nextAttempt = min(nextAttempt ?? due, due)
            } else if item.isWanted ? jobs.count < slotCount : item.state != item.status.state {
                // A job is removed after its last state was written: this state is the latest.
                let now = means.clock.date()
                let read = await Self.item(item.id, in: journal, at: now)
                guard let item = read.map({ current($0) }) else { continue }
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
        let job = TransferJob(item, of: self)
        running[item.id] = job
        jobs[item.id] = Task {
            await job.run()
            jobs[item.id] = nil
            running[item.id] = nil
            transfers[item.id] = nil
            signal.send()
        }
    }

    /// Sets the rate limit of a transfer that has begun, and changes it with its order.
    func begun(_ transfer: any StoreTransfer, of order: TransferOrder) -> any StoreTransfer {
        transfer.bytesPerSecondLimit = rates[order.id] ?? order.bytesPerSecondLimit
        transfers[order.id] = transfer
        return transfer
    }

    /// Writes a status, or keeps it until it can be written; the transfer continues.
    func write(_ status: TransferStatus, of id: String) async {
        var status = status
        status.updated = means.clock.date()
        switch await Self.write(status, of: id, in: journal) {
        case .written: unwritten[id] = nil
        case .failed: unwritten[id] = status
        }
    }

    /// A transfer as it is: what could not be written counts more than what the disk has.
    private func current(_ item: TransferItem) -> TransferItem {
        guard let status = unwritten[item.id] else { return item }
        return TransferItem(
            order: item.order, status: status.corrected(at: means.clock.date()))
    }

    /// Writes the statuses that could not be written, when it is time for that. Jobs write their own.
    private func writeAgain(_ items: [TransferItem]) async {
        let ids = Set(items.map(\.id))
        unwritten = unwritten.filter { ids.contains($0.key) || jobs[$0.key] != nil }
        let due = unwritten.filter { jobs[$0.key] == nil }
        if let nextWrite, nextWrite > means.clock.elapsed(), !due.isEmpty { return }
        for (id, status) in due { await write(status, of: id) }
        if due.keys.contains(where: { unwritten[$0] != nil }) {
            writeFailureCount += 1
            let pause = Duration.seconds(min(60, 1 << min(writeFailureCount, 6)))
            nextWrite = means.clock.elapsed() + pause
        } else {
            (writeFailureCount, nextWrite) = (0, nil)
        }
    }

    /// Has a status on the disk for each transfer that waits, before the disk is full.
    private func reserveStatuses(of items: [TransferItem]) async {
        let new = items.filter {
            $0.isWanted && $0.status == TransferStatus() && !reserved.contains($0.id)
        }.map(\.id)
        guard !new.isEmpty else { return }
        reserved.formUnion(new)
        await Self.reserveStatuses(of: new, in: journal)
    }

    @concurrent private static func reserveStatuses(
        of ids: [String], in journal: TransferJournal
    ) async {
        for id in ids { journal.reserveStatus(of: id) }
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

    private enum WriteResult {
        case written, failed
    }

    @concurrent private static func write(
        _ status: TransferStatus, of id: String, in journal: TransferJournal
    ) async -> WriteResult {
        do throws(TransferJournal.Failure) {
            try journal.write(status, of: id)
            return .written
        } catch {
            return .failed
        }
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
