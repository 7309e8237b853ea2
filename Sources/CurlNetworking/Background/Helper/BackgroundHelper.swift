import CByteClubBackgroundHelper
import Dispatch
import FoundationEssentials
import CurlNetworkingPlatform

/// The entry point of a helper process, called by the constructor in `CByteClubBackgroundHelper`.
@_cdecl("byteclub_helper_main")
func backgroundHelperMain() {
    let environment = ProcessInfo.processInfo.environment
    let paths = BackgroundPaths(environment: environment)
    let readyDescriptor = Int32(BYTECLUB_HELPER_READY_DESCRIPTOR)
    do throws(URLError) {
        _ = try PrivateFolder(path: paths.state)
        _ = try PrivateFolder(path: paths.runtime)
        guard let lock = try BackgroundLock.take(paths) else { _exit(0) }
        let idleSeconds = environment[BackgroundEnvironment.idleVariable].flatMap(Double.init) ?? 10
        let helper = try BackgroundHelper(paths, lock, idleSeconds: max(0.5, idleSeconds))
        helper.submit { $0.open(reportingTo: readyDescriptor) }
    } catch {
        // The program that started us fails its tasks with this reason.
        let reason = Array((error.underlyingText ?? error.localizedDescription).utf8.prefix(2000))
        _ = write(readyDescriptor, reason, reason.count)
        _exit(1)
    }
    // Everything else runs on queues.
    while true { pause() }
}

/// The process that runs the background transfers of a user.
///
/// It keeps its tasks in the journal, runs them with sessions of its own, and reports to the programs that
/// are connected. When idle it sleeps in the kernel, and exits after some seconds.
actor BackgroundHelper {
    nonisolated let executor = QueueExecutor(label: "CurlNetworking.helper")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let paths: BackgroundPaths
    let log: HelperLog
    let parts: PartialFiles
    let results: PartialFiles
    var journal: BackgroundJournal
    var clients: [Int: HelperClient] = [:]
    var transfers: [HelperTransfer.ID: HelperTransfer] = [:]
    /// Transfers by their running tasks.
    var carried: [ObjectIdentifier: HelperTransfer] = [:]
    var workers: [WorkerKey: URLSession] = [:]

    /// Sessions that were attached since this helper started.
    var seenSessions: Set<String> = []
    /// Until then, programs that were attached to the previous helper may reconnect first.
    let reconnectDeadline = DispatchTime.now().uptimeNanoseconds + 3_000_000_000

    private let lock: BackgroundLock
    private let idleNanoseconds: UInt64
    private let timer: any DispatchSourceTimer
    private var listener: (any DispatchSourceRead)?
    private var idleSince: UInt64?
    private var lastClient = 0
    var lastQuestion = 0
    var lastCheck = 0
    private(set) var isShuttingDown = false

    init(_ paths: BackgroundPaths, _ lock: BackgroundLock, idleSeconds: Double) throws(URLError) {
        self.paths = paths
        self.lock = lock
        log = HelperLog(path: paths.log)
        parts = try PartialFiles(path: paths.parts)
        results = try PartialFiles(path: paths.results)
        journal = try BackgroundJournal(path: paths.journal)
        idleNanoseconds = UInt64(min(idleSeconds, 1e6) * 1e9)
        timer = DispatchSource.makeTimerSource(queue: executor.queue)
    }

    /// Runs work on the queue, then rearms the timer.
    nonisolated func submit(_ work: @escaping @Sendable (isolated BackgroundHelper) -> Void) {
        executor.queue.async { @Sendable [self] in
            assumeIsolated { helper in
                work(helper)
                helper.armTimer()
            }
        }
    }

    // MARK: - Starting

    /// Starts the tasks of the journal, and accepts connections.
    func open(reportingTo readyDescriptor: Int32) {
        timer.setEventHandler { @Sendable [self] in
            assumeIsolated { helper in
                helper.wakeTransfers()
                helper.assignWaitingClients()
                helper.armTimer()
            }
        }
        timer.activate()
        do throws(URLError) {
            try listen()
        } catch {
            log.note("cannot listen: \(error)")
            let reason = Array((error.underlyingText ?? "").utf8.prefix(2000))
            _ = write(readyDescriptor, reason, reason.count)
            _exit(1)
        }
        log.note("here, version \(BackgroundVersion.current)")
        for name in journal.damagedNames {
            log.note("moved aside, because it is not a record: \(name)")
        }
        for name in journal.unreadableNames {
            log.note("left alone, as it cannot be read: \(name)")
        }
        removeStrayResults()
        try? parts.removeOld(now: Int64(Date.now.timeIntervalSince1970))
        for session in journal.sessions {
            for record in journal.tasks(of: session) where !record.state.isOver { carry(record) }
        }
        takeSpooledTasks()
        _ = write(readyDescriptor, "\n", 1)
        close(readyDescriptor)
    }

    private func listen() throws(URLError) {
        let descriptor = try BackgroundSocket.listen(at: paths.socket)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: executor.queue)
        source.setEventHandler { @Sendable [self] in
            assumeIsolated { helper in
                helper.acceptConnections(on: descriptor)
                helper.armTimer()
            }
        }
        source.setCancelHandler { @Sendable in close(descriptor) }
        source.activate()
        listener = source
        try lock.publish(paths.socket)
    }

    private func acceptConnections(on descriptor: Int32) {
        while !isShuttingDown, let accepted = BackgroundSocket.accept(on: descriptor) {
            lastClient += 1
            let number = lastClient
            let channel = HelperClient.Channel(accepted, on: executor.queue) { [weak self] in
                self?.assumeIsolated { helper in
                    helper.serve(client: number)
                    helper.armTimer()
                }
            }
            // The folder keeps others out already; this is a second check.
            guard let process = channel.peer else {
                log.note("refused a process of another user")
                channel.close()
                continue
            }
            clients[number] = HelperClient(channel, process: process)
        }
    }

    /// Removes result files without a task, left by a helper that was killed.
    private func removeStrayResults() {
        let records = journal.sessions.flatMap { journal.tasks(of: $0) }
        ReportedTasks(paths).removeAll(except: records)
        let known = Set(
            records.compactMap { record in
                if case .finished(_, let file) = record.state { file } else { nil }
            })
        for name in (try? results.folder.names()) ?? [] where !known.contains(name) {
            try? results.folder.remove(name)
        }
    }

    // MARK: - Exiting

    /// Arms the timer for the next retry, timeout, or the end of the idle time.
    func armTimer() {
        guard !isShuttingDown else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        var wake = transfers.values.lazy.compactMap(\.nextWake).min()
        if now < reconnectDeadline, clients.values.contains(where: { $0.awaited != nil }) {
            wake = min(wake ?? reconnectDeadline, reconnectDeadline)
        }
        if clients.isEmpty, !transfers.values.contains(where: isAtWork) {
            let since = idleSince ?? now
            idleSince = since
            let end = since + idleNanoseconds
            guard end > now else { return leaveIfIdle() }
            wake = min(wake ?? end, end)
        } else {
            idleSince = nil
        }
        if let wake {
            timer.schedule(
                deadline: DispatchTime(uptimeNanoseconds: wake), leeway: .milliseconds(5))
        } else {
            timer.schedule(deadline: .distantFuture)
        }
    }

    /// The idle time is over. Exits, unless there are new tasks in the spool.
    private func leaveIfIdle() {
        takeSpooledTasks()
        if transfers.values.contains(where: isAtWork) {
            armTimer()
        } else {
            shutDown("nothing to do")
        }
    }

    /// Stops everything in a state that the next helper can continue from, and ends the process.
    func shutDown(_ reason: String) {
        isShuttingDown = true
        log.note("gone: \(reason)")
        lock.retract(paths)
        unlink(paths.socket)
        listener?.cancel()
        for transfer in transfers.values { park(transfer) }
        for client in clients.values { client.channel.close() }
        ExitHandlers.runAll()
        // Not exit(): the program this might have been has nothing to clean up.
        _exit(0)
    }
}
