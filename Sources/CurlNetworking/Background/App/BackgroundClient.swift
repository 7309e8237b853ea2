import Dispatch
import FoundationEssentials
import Synchronization

/// A background session's connection to the helper.
///
/// It is open while the session has tasks, to receive their events and to hold the session's identifier. If
/// no helper is running, one is started; one that ends unexpectedly is started again and continues from
/// its journal.
actor BackgroundClient {
    nonisolated let executor = QueueExecutor(label: "CurlNetworking.background")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated let identifier: String
    nonisolated let settings: BackgroundSettings
    nonisolated let paths: BackgroundPaths
    nonisolated let spool: PendingTaskSpool
    let environment: [String: String]

    typealias Channel = BackgroundChannel<BackgroundReply, BackgroundRequest>

    enum Stage {
        case apart
        /// Waits for the previous session with the identifier to finish.
        case queueing
        /// A helper was started and is not ready yet.
        case starting(any DispatchSourceRead)
        case greeting
        /// The helper sends the session's tasks.
        case attaching
        /// Another process has the session.
        case waiting
        case attached
    }

    private(set) weak var session: URLSession?
    /// Keeps the session alive while it has events to report.
    private var kept: URLSession?
    var stage = Stage.apart
    var channel: Channel?
    /// Tasks that are not completed, or whose completion was not reported yet.
    var entries: [Int: BackgroundTaskEntry] = [:]
    /// The last request for each task that is completed here, until the helper confirms that it is gone.
    var acknowledged: [Int: BackgroundRequest] = [:]
    /// Keys of all tasks ever acknowledged here, so that none is reported twice.
    var acknowledgedKeys: Set<UInt64> = []
    /// Tasks that ended while no program was connected (`pending`) or were running already (`found`), and
    /// were not reported yet.
    var pending: Set<Int> = []
    var found: Set<Int> = []
    var hasPendingEvents = false
    var hasFoundTasks = false
    /// Cancelled tasks that wait for their resume data.
    var awaitingResumeData: [Int: URLSessionTask] = [:]
    /// Tasks that the helper has sent on this connection.
    var announced: Set<Int> = []
    /// Work to do once the session's tasks are known.
    private var awaitingReadiness: [@Sendable (isolated BackgroundClient) -> Void] = []
    /// Whether all tasks of the journal are cancelled.
    var forgets = false
    /// Whether another process has the session, and this one takes over when it is free.
    private var awaitsTurn = false
    /// Why the helper does not have the session, if it does not.
    private(set) var refusal: URLError?
    private var awaitingCalm: [@Sendable () -> Void] = []
    private var awaitingGone: [@Sendable () -> Void] = []
    private nonisolated let ending = Mutex(false)
    private(set) var isReady: Bool {
        didSet { readiness.withLock { $0 = isReady } }
    }
    private nonisolated let readiness: Mutex<Bool>
    /// Attempts to connect since the last success.
    var attempts = 0
    /// How often the connection was lost since a task last made progress.
    var losses = 0
    var lastReason: String?

    init(
        identifier: String, settings: BackgroundSettings, environment: [String: String],
        paths: BackgroundPaths, hasRecords: Bool
    ) {
        self.identifier = identifier
        self.settings = settings
        self.environment = environment
        self.paths = paths
        spool = PendingTaskSpool(paths)
        isReady = !hasRecords
        readiness = Mutex(!hasRecords)
    }

    nonisolated var isReadyNow: Bool { readiness.withLock { $0 } }

    /// To be called once, when the session is initialized.
    nonisolated func begin(for session: URLSession) {
        ExitHandlers.add(self)
        submit { client in
            client.session = session
            client.proceed()
        }
    }

    /// Runs work on the queue, then updates the connection.
    nonisolated func submit(_ work: @escaping @Sendable (isolated BackgroundClient) -> Void) {
        executor.queue.async { @Sendable [self] in
            assumeIsolated { client in
                work(client)
                client.proceed()
            }
        }
    }

    /// Calls back when the session's tasks are known: at once, unless the journal has some.
    nonisolated func whenReady(_ work: @escaping @Sendable () -> Void) {
        submit { $0.whenReadyInTurn { _ in work() } }
    }

    func whenReadyInTurn(_ work: @escaping @Sendable (isolated BackgroundClient) -> Void) {
        if isReady { work(self) } else { awaitingReadiness.append(work) }
    }

    /// Calls back when the helper has all tasks and nothing waits to be acknowledged.
    func whenCalm(_ work: @escaping @Sendable () -> Void) {
        awaitingCalm.append(work)
    }

    private var isBusy: Bool {
        !isReady || !acknowledged.isEmpty || entries.values.contains(where: \.needsHelper)
    }

    /// Connects, waits or disconnects, as the tasks require.
    func proceed() {
        if awaitsTurn, isEnding, !isBusy { stopWaiting() }
        while case .apart = stage, isBusy || awaitsTurn { reach() }
        if case .waiting = stage, isBusy { attach() }  // it may be free by now
        if !isBusy { finishIfIdle() }
        notifyFinish()
        kept = isBusy || hasPendingEvents || hasFoundTasks ? session : nil
        let isSafe =
            acknowledged.isEmpty && entries.values.allSatisfy { $0.isKept || !$0.needsHelper }
        if isSafe, !awaitingCalm.isEmpty {
            let waiting = awaitingCalm
            awaitingCalm = []
            for work in waiting { work() }
        }
    }

    func send(_ request: BackgroundRequest) {
        guard case .attached = stage else { return }
        channel?.send(request)
    }

    /// A task has made progress: earlier losses do not count any more.
    func noteMovement() {
        losses = 0
    }

    // MARK: - Messages

    func receive() {
        guard let channel else { return }
        for reply in channel.turn() { receive(reply) }
        if channel.isClosed, self.channel === channel { connectionLost("the helper went away") }
    }

    private func receive(_ reply: BackgroundReply) {
        switch (stage, reply) {
        case (.greeting, .welcome):
            attach()
        case (.greeting, .givingWay):
            lastReason = "an older helper does not give way"
            channel?.close()
        case (.attaching, .inUse(let process)):
            awaitTurn(
                URLError(
                    .backgroundSessionInUseByAnotherProcess,
                    underlyingText: "process \(process) has a session with this identifier"))
        case (.waiting, .inUse):
            break
        case (.attaching, .task(let record)), (.waiting, .task(let record)):
            register(record)
        case (.attaching, .attached), (.waiting, .attached):
            stage = .attached
            awaitsTurn = false
            attempts = 0
            refusal = nil
            sendCurrentState()
            becomeReady()
        case (.attached, _):
            handle(reply)
        default:
            channel?.close()
        }
    }

    /// Asks for the session. A client that only waits yields to the process that had it before.
    private func attach() {
        let waits = awaitsTurn && !isBusy
        stage = waits ? .waiting : .attaching
        if waits { attempts = 0 }
        channel?.send(
            .attach(session: identifier, owner: PendingTaskSpool.owner, waits: waits ? true : nil)
        )
    }

    /// Another process has the session: the tasks of this one fail, and it stays connected to take over.
    private func awaitTurn(_ error: URLError) {
        // `forget` does not wait for another process.
        guard !forgets else { return refuse(error) }
        stage = .waiting
        awaitsTurn = true
        giveUpTasks(error)
    }

    private func stopWaiting() {
        awaitsTurn = false
        if case .starting(let source) = stage { source.cancel() }
        disconnect()
    }

    private func becomeReady() {
        guard !isReady else { return }
        isReady = true
        let waiting = awaitingReadiness
        awaitingReadiness = []
        for work in waiting { work(self) }
        session?.finishInvalidationIfIdle()
    }

    /// The connection is lost. `proceed()` connects again if needed.
    func connectionLost(_ reason: String) {
        lastReason = reason
        losses += 1
        closeChannel()
    }

    private func closeChannel() {
        channel?.close()
        channel = nil
        stage = .apart
        announced = []
    }

    /// Nothing is left to do: disconnects, so that others can have the session.
    private func finishIfIdle() {
        switch stage {
        case .attached: disconnect()
        case .apart: break
        case .queueing, .starting, .greeting, .attaching, .waiting: return
        }
        let waiting = awaitingGone
        awaitingGone = []
        for work in waiting { work() }
    }

    func disconnect() {
        closeChannel()
        BackgroundHolders.leave(self)
        attempts = 0
    }

    func whenGone(_ work: @escaping @Sendable () -> Void) {
        if case .apart = stage, !isBusy { work() } else { awaitingGone.append(work) }
    }

    /// Whether its session was invalidated, or is gone.
    nonisolated var isEnding: Bool { ending.withLock { $0 } }

    nonisolated func noteInvalidation() {
        ending.withLock { $0 = true }
        submit { _ in }  // it may be waiting
    }

    /// The helper cannot have these tasks: they fail.
    func refuse(_ error: URLError) {
        closeChannel()
        BackgroundHolders.leave(self)
        awaitsTurn = false
        giveUpTasks(error)
    }

    private func giveUpTasks(_ error: URLError) {
        attempts = 0
        losses = 0
        acknowledged = [:]
        refusal = error
        failAll(with: error)
        becomeReady()
    }
}

extension BackgroundClient: ExitHandler {
    /// The process exits: waits up to two seconds until the helper has all tasks.
    nonisolated func handleExit() {
        let calm = DispatchSemaphore(value: 0)
        submit { $0.whenCalm { calm.signal() } }
        _ = calm.wait(timeout: .now() + 2)
    }
}
