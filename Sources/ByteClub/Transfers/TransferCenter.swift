internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import Dispatch
internal import ByteClubFiles
internal import FoundationEssentials
internal import ByteClubMessages

/// The transfers of a club: read from the journal as it changes, and changed there.
@MainActor final class TransferCenter {
    /// Oldest first.
    private(set) var items: [TransferItem] = []

    /// The transfers that were active since the last time none was.
    private var batchIDs: Set<TransferItem.ID> = []

    private let journal: TransferJournal
    private let supervisor: CarrierSupervisor
    private let activity: any ActivityCounting
    private var observers: [() -> (any TransferObserver)?] = []
    private var watcher: FolderWatch?
    private var work: Task<Void, Never>?
    private var isBusy = false
    private var isStopped = false
    /// Whether to use the system's change notifications.
    private let isWatched: Bool
    /// Orders that are not written yet: the disk's contents are older until then.
    private var unwritten: [TransferItem.ID: TransferOrder] = [:]

    /// The failures that the user has viewed, by the order's retry count.
    private var seenFailures = SeenFailures()

    /// - Parameters:
    ///   - isWatched: False simulates a system without further watches, in tests.
    ///   - checkInterval: How often to check whether the carrier was killed.
    init(
        _ journal: TransferJournal, carrier: any TransferCarrying, activity: any ActivityCounting,
        isWatched: Bool = true, checkInterval: Duration = .seconds(1)
    ) {
        self.isWatched = isWatched
        self.journal = journal
        supervisor = CarrierSupervisor(
            carrier, for: journal.folder.path, checkingEvery: checkInterval)
        self.activity = activity
        supervisor.delegate = self
    }

    /// Reads the transfers, and continues those of an earlier run.
    func start() {
        run { [self] in
            await journal.prepareFolder()
            seenFailures.merge(await SeenFailures.read(from: journal.folder))
            guard !isStopped else { return }
            if isWatched { watch() }
            let found = await journal.readItems()
            show(merged(found), isFirst: true)
            supervisor.update()
            if carrierNeeds.hasWantedTransfers { await supervisor.startCarrier() }
        }
    }

    private func watch() {
        watcher = FolderWatch(journal.folder.path, on: .main) { @Sendable [weak self] names in
            MainActor.assumeIsolated { self?.journalDidChange(names) }
        }
    }

    /// Stops observing; transfers and pending writes continue.
    func stop() {
        isStopped = true
        watcher = nil
        supervisor.stop()
        setBusy(false)
    }

    /// Observers are held weakly.
    func addObserver(_ observer: any TransferObserver) {
        observers.append { [weak observer] in observer }
    }

    func item(_ id: String) -> TransferItem? { items.first { $0.id == id } }

    /// Active transfers, and those that will be without being asked.
    var wantedItems: [TransferItem] { items.filter(\.isWanted) }

    /// The active transfers with those they follow.
    var batch: TransferBatch { TransferBatch(items.filter { batchIDs.contains($0.id) }) }

    /// How many transfers in one direction that ran one after another are in a state.
    func count(_ direction: TransferOrder.Direction, _ state: TransferStatus.State) -> Int {
        ran(direction, state).count
    }

    /// Transfers in one direction that ran one after another, and are in a state.
    func ran(
        _ direction: TransferOrder.Direction, _ state: TransferStatus.State
    ) -> [TransferItem] {
        items.filter {
            batchIDs.contains($0.id) && $0.order.direction == direction && $0.state == state
        }
    }

    /// Failures, including those of earlier runs, that were not viewed.
    var unseenFailures: [TransferItem] {
        items.filter { $0.state == .failed && !seenFailures.contains($0) }
    }

    /// Marks failures as viewed; later runs do not report them again.
    ///
    /// - Parameter id: The transfer; nil for all.
    func seeFailures(of id: TransferItem.ID? = nil) {
        let unseen = unseenFailures.filter { id == nil || $0.id == id }
        guard !unseen.isEmpty else { return }
        seenFailures.see(unseen, of: items)
        run { [self] in await seenFailures.write(to: journal.folder) }
        notify { $0.transfersDidChange(self) }
    }

    // MARK: - What a person does

    /// Adds transfers, which start at once.
    func add(_ orders: [TransferOrder]) {
        show(items + orders.map { TransferItem(order: $0) })
        write(orders)
    }

    func pause(_ ids: [String]) { change(ids, if: \.canPause) { $0.intent = .pause } }

    func cancel(_ ids: [String]) { change(ids, if: \.canCancel) { $0.intent = .cancel } }

    /// Resumes stopped transfers, and ends the pause before the next attempt.
    func resume(_ ids: [String]) {
        change(ids, if: \.canTryAgain) { $0.askAgain() }
    }

    /// Puts a waiting transfer first in the queue.
    func putFirst(_ id: String) {
        let first = items.firstPrecedence
        change([id], if: \.canGoFirst) { $0.precedence = first }
    }

    /// - Parameter limit: In bytes per second; nil for none.
    func limit(_ ids: [String], to limit: Int64?) {
        change(ids, if: \.canCancel) { $0.bytesPerSecondLimit = limit }
    }

    /// Removes finished transfers; also deletes the partial files of unfinished downloads.
    func clear(_ ids: [String]) {
        let ids = Set(ids)
        func isCleared(_ item: TransferItem) -> Bool { item.isFinished && ids.contains(item.id) }
        let cleared = items.filter(isCleared)
        show(items.filter { !isCleared($0) })
        run { [self] in await journal.clearAll(cleared) }
    }

    private func change(
        _ ids: [String], if isPossible: (TransferItem) -> Bool,
        _ change: (inout TransferOrder) -> Void
    ) {
        let ids = Set(ids)
        var (changed, orders) = (items, [TransferOrder]())
        for index in changed.indices
        where ids.contains(changed[index].id) && isPossible(changed[index]) {
            change(&changed[index].order)
            orders.append(changed[index].order)
        }
        // Shown at once; the carrier follows.
        show(changed)
        write(orders)
    }

    private func write(_ orders: [TransferOrder]) {
        for order in orders { unwritten[order.id] = order }
        run { [self] in
            let problem = await journal.writeAll(orders)
            for order in orders where unwritten[order.id] == order { unwritten[order.id] = nil }
            if let problem {
                let written = await journal.readItems(Set(orders.map(\.id))).map(\.order)
                fail(orders.filter { !written.contains($0) }.map(\.id), problem)
            }
            await supervisor.startCarrier()
        }
    }

    // MARK: - What has become of it

    private func journalDidChange(_ names: [String]) {
        let ids = Set(
            names.filter {
                !$0.hasPrefix(".") && ($0.hasSuffix(".order") || $0.hasSuffix(".status"))
            }
            .compactMap { $0.split(separator: ".").first.map(String.init) })
        guard !isStopped, names.isEmpty || !ids.isEmpty else { return }
        if names.contains(where: { $0.hasSuffix(".status") }) { supervisor.didWriteStatus() }
        run { [self] in
            guard !names.isEmpty else { return await readAll() }
            let read = await journal.readItems(ids)
            show(merged(items.filter { !ids.contains($0.id) } + read))
        }
    }

    private func readAll() async {
        let read = await journal.readItems()
        show(merged(read))
    }

    /// The transfers read from disk, with orders added since, in order: an identifier begins with its time.
    private func merged(_ read: [TransferItem]) -> [TransferItem] {
        var unwritten = unwritten
        var merged = read.map { item in
            var item = item
            if let order = unwritten.removeValue(forKey: item.id) { item.order = order }
            return item
        }
        merged += unwritten.values.map { TransferItem(order: $0) }
        return merged.sorted { $0.id < $1.id }
    }

    private func show(_ new: [TransferItem], isFirst: Bool = false) {
        guard !isStopped, new != items else { return }
        let before = Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        items = new
        let wanted = wantedItems.map(\.id)
        if !wanted.isEmpty, !before.values.contains(where: \.isWanted) { batchIDs = [] }
        batchIDs.formUnion(wanted)
        let ended =
            isFirst
            ? []
            : new.filter { item in
                guard let old = before[item.id], !old.isFinished else { return false }
                return item.state == .done || item.state == .failed
            }
        setBusy(new.contains(where: \.moves))
        supervisor.update()
        notify { $0.transfersDidChange(self) }
        for item in ended { notify { $0.transferDidEnd(item, in: self) } }
    }

    /// Shows a failure without writing it: the transfer on disk continues when a carrier runs.
    private func fail(_ ids: [String], _ reason: String) {
        let ids = Set(ids)
        var changed = items
        for index in changed.indices where ids.contains(changed[index].id) {
            changed[index].status.state = .failed
            changed[index].status.retryCount = changed[index].order.retryCount
            changed[index].status.failure = nil
            changed[index].status.reason = reason
        }
        show(changed)
    }

    private func notify(_ event: (any TransferObserver) -> Void) {
        observers.removeAll { $0() == nil }
        for observer in observers { if let observer = observer() { event(observer) } }
    }

    private func setBusy(_ isBusy: Bool) {
        guard isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        if isBusy { activity.begin() } else { activity.end() }
    }

    /// Runs tasks one after the other, off the main actor where they access the disk.
    private func run(_ body: @escaping @MainActor () async -> Void) {
        let before = work
        activity.begin()
        work = Task {
            await before?.value
            await body()
            activity.end()
        }
    }

    /// Returns when everything requested is on disk.
    func finish() async { await work?.value }
}

extension TransferCenter: CarrierSupervisorDelegate {
    var carrierNeeds: CarrierNeeds {
        CarrierNeeds(
            mustPoll: watcher == nil && !isStopped,
            hasWantedTransfers: !isStopped && items.contains(where: \.isWanted),
            hasWork: items.contains(where: \.needsCarrier))
    }

    func poll() async {
        // A watch may have become available.
        if isWatched { watch() }
        await work?.value
        await readAll()
    }

    func carrierDidFail(_ reason: String) { fail(wantedItems.map(\.id), reason) }
}

extension TransferItem {
    /// Whether it is active: not while it waits for the next attempt.
    fileprivate var moves: Bool { isWanted && (state != .waiting || status.nextAttempt == nil) }
}
