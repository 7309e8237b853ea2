internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import Dispatch
internal import Files
internal import FoundationEssentials
internal import Messages

/// Who is told how the transfers of a club go.
@MainActor protocol TransferObserver: AnyObject {
    func transfersDidChange(_ center: TransferCenter)
    /// A transfer has come to its end while the app was looking: done or failed.
    func transferDidEnd(_ item: TransferItem, in center: TransferCenter)
}

extension TransferObserver {
    func transferDidEnd(_ item: TransferItem, in center: TransferCenter) {}
}

/// Carries transfers out: a process of its own, or this one in tests.
protocol TransferCarrying: Sendable {
    /// Has what waits carried out, unless that is under way.
    ///
    /// - Returns: Why it could not be started; nil when it was.
    func start() async -> String?
    func isRunning() async -> Bool
}

extension CarrierProcess: TransferCarrying {}

/// The transfers of one club on the screen: read from the journal as it changes, and changed there.
@MainActor final class TransferCenter {
    /// The oldest first.
    private(set) var items: [TransferItem] = []

    private let journal: TransferJournal
    private let carrier: any TransferCarrying
    private let activity: any ActivityCounting
    private var observers: [() -> (any TransferObserver)?] = []
    private var watcher: FolderWatch?
    private var work: Task<Void, Never>?
    private var minding: Task<Void, Never>?
    private var isBusy = false
    private var isStopped = false
    /// Whether to ask the system for word of changes.
    private let isWatched: Bool
    /// What was ordered and is not on the disk yet: what is read there meanwhile is older.
    private var unwritten: [TransferItem.ID: TransferOrder] = [:]

    /// The failures that the person has looked at, by which of the order's retries they were.
    private var seenFailures = SeenFailures()

    /// How often to look whether the carrier has been killed.
    private let mindingInterval: Duration
    /// How often the carrier was started since it last wrote something down.
    private var vainStartCount = 0
    private static let vainStartLimit = 5

    /// - Parameters:
    ///   - isWatched: False as on a system that has no more watches to give; for tests.
    ///   - mindingInterval: How often to look whether the carrier has been killed.
    init(
        _ journal: TransferJournal, carrier: any TransferCarrying, activity: any ActivityCounting,
        isWatched: Bool = true, mindingInterval: Duration = .seconds(1)
    ) {
        self.isWatched = isWatched
        self.mindingInterval = mindingInterval
        self.journal = journal
        self.carrier = carrier
        self.activity = activity
    }

    /// Reads what there is, and has carried out what an earlier run has left.
    func start() {
        run { [self] in
            await Self.makeFolder(of: journal)
            seenFailures.merge(await SeenFailures.read(from: journal.folder))
            guard !isStopped else { return }
            if isWatched { watch() }
            let found = await Self.items(of: journal)
            show(merged(found), isFirst: true)
            // Without a watch it looks from time to time.
            mindCarrier()
            if items.contains(where: \.isWanted) { await startCarrier() }
        }
    }

    private func watch() {
        watcher = FolderWatch(journal.folder.path, on: .main) { @Sendable [weak self] names in
            MainActor.assumeIsolated { self?.journalDidChange(names) }
        }
    }

    /// Looks and tells no more. What is under way goes on, and what was asked for is still written down.
    func stop() {
        isStopped = true
        watcher = nil
        minding?.cancel()
        minding = nil
        setBusy(false)
    }

    /// Observers are held weakly.
    func addObserver(_ observer: any TransferObserver) {
        observers.append { [weak observer] in observer }
    }

    func item(_ id: String) -> TransferItem? { items.first { $0.id == id } }

    /// What moves, or will without being asked.
    var wantedItems: [TransferItem] { items.filter(\.isWanted) }

    /// What has failed, also in an earlier run, and was not looked at since.
    var unseenFailures: [TransferItem] {
        items.filter { $0.state == .failed && !seenFailures.contains($0) }
    }

    /// Says that the person knows what has failed by now; a later run does not report it again.
    ///
    /// - Parameter id: The one they know of; nil for all.
    func seeFailures(of id: TransferItem.ID? = nil) {
        let unseen = unseenFailures.filter { id == nil || $0.id == id }
        guard !unseen.isEmpty else { return }
        seenFailures.see(unseen, of: items)
        run { [self] in await seenFailures.write(to: journal.folder) }
        tell { $0.transfersDidChange(self) }
    }

    // MARK: - What a person does

    /// Orders transfers, which begin at once.
    func add(_ orders: [TransferOrder]) {
        show(items + orders.map { TransferItem(order: $0) })
        write(orders)
    }

    func pause(_ ids: [String]) { change(ids, if: \.canPause) { $0.wish = .pause } }

    func cancel(_ ids: [String]) { change(ids, if: \.canCancel) { $0.wish = .cancel } }

    /// Goes on with what has stopped, and does not wait any longer for the next attempt.
    func resume(_ ids: [String]) {
        change(ids, if: \.canTryAgain) { $0.askAgain() }
    }

    /// - Parameter limit: In bytes a second; nil for none.
    func limit(_ ids: [String], to limit: Int64?) {
        change(ids, if: \.canCancel) { $0.bytesPerSecondLimit = limit }
    }

    /// Forgets what has come to its end; what has arrived of an unfinished download is removed.
    func clear(_ ids: [String]) {
        let cleared = items.filter { ids.contains($0.id) && $0.isFinished }
        show(items.filter { item in !cleared.contains { $0.id == item.id } })
        run { [self] in
            for item in cleared { await Self.clear(item, from: journal) }
        }
    }

    private func change(
        _ ids: [String], if isPossible: (TransferItem) -> Bool,
        _ change: (inout TransferOrder) -> Void
    ) {
        var (changed, orders) = (items, [TransferOrder]())
        for index in changed.indices
        where ids.contains(changed[index].id) && isPossible(changed[index]) {
            change(&changed[index].order)
            orders.append(changed[index].order)
        }
        // On the screen at once; the carrier follows.
        show(changed)
        write(orders)
    }

    private func write(_ orders: [TransferOrder]) {
        for order in orders { unwritten[order.id] = order }
        run { [self] in
            let problem = await Self.write(orders, to: journal)
            for order in orders where unwritten[order.id] == order { unwritten[order.id] = nil }
            if let problem {
                let written = await Self.items(Set(orders.map(\.id)), of: journal).map(\.order)
                fail(orders.filter { !written.contains($0) }.map(\.id), problem)
            }
            await startCarrier()
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
        if names.contains(where: { $0.hasSuffix(".status") }) { vainStartCount = 0 }
        run { [self] in
            guard !names.isEmpty else { return await readAll() }
            let read = await Self.items(ids, of: journal)
            show(merged(items.filter { !ids.contains($0.id) } + read))
        }
    }

    private func readAll() async {
        let read = await Self.items(of: journal)
        show(merged(read))
    }

    /// What was read from the disk, with what was ordered since; in order: a name begins with its time.
    private func merged(_ read: [TransferItem]) -> [TransferItem] {
        var read = read
        for order in unwritten.values {
            if let index = read.firstIndex(where: { $0.id == order.id }) {
                read[index].order = order
            } else {
                read.append(TransferItem(order: order))
            }
        }
        return read.sorted { $0.id < $1.id }
    }

    private func show(_ new: [TransferItem], isFirst: Bool = false) {
        guard !isStopped, new != items else { return }
        let before = Dictionary(items.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        items = new
        let ended =
            isFirst
            ? []
            : new.filter { item in
                guard let old = before[item.id], !old.isFinished else { return false }
                return item.state == .done || item.state == .failed
            }
        setBusy(new.contains(where: \.moves))
        mindCarrier()
        tell { $0.transfersDidChange(self) }
        for item in ended { tell { $0.transferDidEnd(item, in: self) } }
    }

    /// On the screen alone: what is on the disk goes on as soon as somebody asks for it.
    private func fail(_ ids: [String], _ reason: String) {
        var changed = items
        for index in changed.indices where ids.contains(changed[index].id) {
            changed[index].status.state = .failed
            changed[index].status.retryCount = changed[index].order.retryCount
            changed[index].status.failure = nil
            changed[index].status.reason = reason
        }
        show(changed)
    }

    private func tell(_ event: (any TransferObserver) -> Void) {
        observers.removeAll { $0() == nil }
        for observer in observers { if let observer = observer() { event(observer) } }
    }

    private func setBusy(_ isBusy: Bool) {
        guard isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        if isBusy { activity.begin() } else { activity.end() }
    }

    // MARK: - The carrier

    private func startCarrier() async {
        guard items.contains(where: \.needsCarrier) else { return }
        guard let reason = await carrier.start() else { return }
        fail(
            wantedItems.map(\.id),
            localized("The background program for transfers cannot be started: \(reason)."))
    }

    /// Starts a carrier again that has gone. One that goes each time without a word, as where its folder
    /// cannot be written, is not started for ever.
    private func restartCarrier() async {
        vainStartCount += 1
        guard vainStartCount > Self.vainStartLimit else { return await startCarrier() }
        vainStartCount = 0
        fail(
            wantedItems.map(\.id),
            localized(
                "The background program for transfers ends at once. See whether the folder "
                    + "\(TypedPath.shown(journal.folder.path)) can be written and the disk has room, then try again."
            ))
    }

    /// A carrier that was killed is started again; where the system does not report changes, the folder
    /// is polled.
    private func mindCarrier() {
        guard !wantedItems.isEmpty || watcher == nil else {
            minding?.cancel()
            minding = nil
            return
        }
        guard minding == nil, !isStopped else { return }
        minding = Task { [weak self] in
            var missedCount = 0
            while !Task.isCancelled {
                try? await Pause.sleep(for: self?.mindingInterval ?? .seconds(1))
                guard !Task.isCancelled, let self else { return }
                if watcher == nil {
                    // One may have become free.
                    if isWatched { watch() }
                    await work?.value
                    await readAll()
                }
                guard !isStopped, !wantedItems.isEmpty else {
                    mindCarrier()
                    continue
                }
                missedCount = await carrier.isRunning() ? 0 : missedCount + 1
                // One that is just starting has not said so yet.
                if missedCount >= 2 {
                    missedCount = 0
                    await restartCarrier()
                }
            }
        }
    }

    /// One after the other, off the main actor as far as it touches the disk.
    private func run(_ body: @escaping @MainActor () async -> Void) {
        let before = work
        activity.begin()
        work = Task {
            await before?.value
            await body()
            activity.end()
        }
    }

    /// Returns when all that was asked for is on the disk.
    func finish() async { await work?.value }
}

extension TransferItem {
    /// Whether it is on its way right now, or as good as: not while it waits for the next attempt.
    fileprivate var moves: Bool { isWanted && (state != .waiting || status.nextAttempt == nil) }
}

extension TransferCenter {
    @concurrent private nonisolated static func makeFolder(of journal: TransferJournal) async {
        try? journal.makeFolder()
    }

    @concurrent private nonisolated static func items(
        of journal: TransferJournal
    ) async -> [TransferItem] {
        journal.items()
    }

    @concurrent private nonisolated static func items(
        _ ids: Set<String>, of journal: TransferJournal
    ) async -> [TransferItem] {
        ids.compactMap { journal.item($0) }
    }

    @concurrent private nonisolated static func clear(
        _ item: TransferItem, from journal: TransferJournal
    ) async {
        journal.clear(item)
    }

    /// - Returns: Why they could not be written.
    @concurrent private nonisolated static func write(
        _ orders: [TransferOrder], to journal: TransferJournal
    ) async -> String? {
        do throws(TransferJournal.Failure) {
            try journal.write(orders)
            return nil
        } catch {
            return error.description
        }
    }
}
