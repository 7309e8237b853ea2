import CBackgroundHelper
import Dispatch
import FoundationEssentials
import Glibc

/// Where a helper process begins, called by the constructor in `CBackgroundHelper`.
@_cdecl("byteclub_helper_main")
func backgroundHelperMain() {
    let environment = ProcessInfo.processInfo.environment
    let places = BackgroundPlaces(environment: environment)
    let announcement = Int32(BYTECLUB_HELPER_ANNOUNCEMENT)
    do throws(URLError) {
        _ = try PrivateFolder(path: places.state)
        _ = try PrivateFolder(path: places.runtime)
        guard let lock = try BackgroundLock.take(places) else { _exit(0) }
        let rest = environment[BackgroundEnvironment.restVariable].flatMap(Double.init) ?? 10
        let helper = try BackgroundHelper(places, lock, restSeconds: max(0.5, rest))
        helper.submit { $0.open(announcement: announcement) }
    } catch {
        // Whoever started us tells it to its tasks.
        let reason = Array((error.underlyingText ?? error.localizedDescription).utf8.prefix(2000))
        _ = write(announcement, reason, reason.count)
        _exit(1)
    }
    // All that happens now happens on queues.
    while true { pause() }
}

/// The process that carries the background transfers of a user.
///
/// It keeps what it has to do in the journal, does it with sessions of its own, and tells programs that
/// are connected. With nothing to do it sleeps in the kernel, and leaves after some seconds.
actor BackgroundHelper {
    nonisolated let executor = QueueExecutor(label: "CurlNetworking.helper")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let places: BackgroundPlaces
    let log: HelperLog
    let parts: PartialFiles
    let results: PartialFiles
    var journal: BackgroundJournal
    var guests: [Int: HelperGuest] = [:]
    var transfers: [HelperTransfer.ID: HelperTransfer] = [:]
    /// Whose callbacks belong to whom.
    var carried: [ObjectIdentifier: HelperTransfer] = [:]
    var workers: [HelperWork: URLSession] = [:]

    /// Sessions that were somebody's since this helper is here.
    var seenSessions: Set<String> = []
    /// When those who had sessions at the helper before have had time enough to come back.
    let holdersAreBackAt = DispatchTime.now().uptimeNanoseconds + 3_000_000_000

    private let lock: BackgroundLock
    private let restNanoseconds: UInt64
    private let timer: any DispatchSourceTimer
    private var listener: (any DispatchSourceRead)?
    private var restsSince: UInt64?
    private var lastGuest = 0
    var lastQuestion = 0
    var lastCheck = 0
    private(set) var isLeaving = false

    init(_ places: BackgroundPlaces, _ lock: BackgroundLock, restSeconds: Double) throws(URLError) {
        self.places = places
        self.lock = lock
        log = HelperLog(path: places.log)
        parts = try PartialFiles(path: places.parts)
        results = try PartialFiles(path: places.results)
        journal = try BackgroundJournal(path: places.journal)
        restNanoseconds = UInt64(min(restSeconds, 1e6) * 1e9)
        timer = DispatchSource.makeTimerSource(queue: executor.queue)
    }

    /// Runs work in its turn, then settles what follows.
    nonisolated func submit(_ work: @escaping @Sendable (isolated BackgroundHelper) -> Void) {
        executor.queue.async { @Sendable [self] in
            assumeIsolated { helper in
                work(helper)
                helper.settle()
            }
        }
    }

    // MARK: - Coming

    /// Takes up what the journal holds, and lets programs in.
    func open(announcement: Int32) {
        timer.setEventHandler { @Sendable [self] in
            assumeIsolated { helper in
                helper.wakeTransfers()
                helper.letInWaiting()
                helper.settle()
            }
        }
        timer.activate()
        do throws(URLError) {
            try listen()
        } catch {
            log.note("cannot listen: \(error)")
            let reason = Array((error.underlyingText ?? "").utf8.prefix(2000))
            _ = write(announcement, reason, reason.count)
            _exit(1)
        }
        log.note("here, version \(BackgroundVersion.current)")
        for name in journal.damagedNames { log.note("moved aside, as it made no sense: \(name)") }
        removeStrayResults()
        try? parts.removeOld(now: Int64(Date.now.timeIntervalSince1970))
        for session in journal.sessions {
            for record in journal.tasks(of: session) where !record.state.isOver { take(up: record) }
        }
        takeDeposits()
        _ = write(announcement, "\n", 1)
        close(announcement)
    }

    private func listen() throws(URLError) {
        let descriptor = try BackgroundSocket.listen(at: places.socket)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: executor.queue)
        source.setEventHandler { @Sendable [self] in
            assumeIsolated { helper in
                helper.letIn(from: descriptor)
                helper.settle()
            }
        }
        source.setCancelHandler { @Sendable in close(descriptor) }
        source.activate()
        listener = source
        try lock.announce(places.socket)
    }

    private func letIn(from descriptor: Int32) {
        while !isLeaving, let accepted = BackgroundSocket.accept(on: descriptor) {
            lastGuest += 1
            let number = lastGuest
            let channel = HelperGuest.Channel(accepted, on: executor.queue) { [weak self] in
                self?.assumeIsolated { helper in
                    helper.attend(toGuest: number)
                    helper.settle()
                }
            }
            // The folder keeps others out; this is the second bolt.
            guard let process = channel.peer else {
                log.note("refused somebody who is not our user")
                channel.close()
                continue
            }
            guests[number] = HelperGuest(channel, process: process)
        }
    }

    /// Files of results that no task knows: of a helper that was killed before it could say so.
    private func removeStrayResults() {
        let records = journal.sessions.flatMap { journal.tasks(of: $0) }
        BackgroundAnnouncements(places).removeAll(except: records)
        let known = Set(
            records.compactMap { record in
                if case .finished(_, let file) = record.state { file } else { nil }
            })
        for name in (try? results.folder.names()) ?? [] where !known.contains(name) {
            try? results.folder.remove(name)
        }
    }

    // MARK: - Going

    /// Arms the timer for what comes next: an attempt, the end of somebody's patience, or the end of
    /// ours.
    func settle() {
        guard !isLeaving else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        var wake = transfers.values.lazy.compactMap(\.nextWake).min()
        if now < holdersAreBackAt, guests.values.contains(where: { $0.awaited != nil }) {
            wake = min(wake ?? holdersAreBackAt, holdersAreBackAt)
        }
        if guests.isEmpty, !transfers.values.contains(where: isAtWork) {
            let since = restsSince ?? now
            restsSince = since
            let end = since + restNanoseconds
            guard end > now else { return rest() }
            wake = min(wake ?? end, end)
        } else {
            restsSince = nil
        }
        if let wake {
            timer.schedule(
                deadline: DispatchTime(uptimeNanoseconds: wake), leeway: .milliseconds(5))
        } else {
            timer.schedule(deadline: .distantFuture)
        }
    }

    /// Nothing was to do for long. Leaves, unless a program has left something meanwhile.
    private func rest() {
        takeDeposits()
        if transfers.values.contains(where: isAtWork) { settle() } else { leave("nothing to do") }
    }

    /// Lets go of everything, in a state the next helper can go on from, and ends the process.
    func leave(_ reason: String) {
        isLeaving = true
        log.note("gone: \(reason)")
        lock.retract(places)
        unlink(places.socket)
        listener?.cancel()
        for transfer in transfers.values { park(transfer) }
        for guest in guests.values { guest.channel.close() }
        ExitHandlers.fulfil()
        // Not exit(): the program this might have been has nothing to clean up.
        _exit(0)
    }
}
