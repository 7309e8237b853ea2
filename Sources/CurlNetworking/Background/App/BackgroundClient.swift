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
        case disconnected
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

    /// The connection to the helper, and the attempts to open one.
    struct Connection {
        var stage = Stage.disconnected
        var channel: Channel?
        /// Tasks that the helper has sent on this connection.
        var announced: Set<Int> = []
        /// Attempts to connect since the last success.
        var attempts = 0
        /// How often the connection was lost since a task last made progress.
        var losses = 0
        /// Why the last one was lost, or not made.
        var lastReason: String?
    }

    /// Tasks of earlier sessions. Once they are reported, `urlSessionDidFinishEvents` is called.
    struct EarlierTasks {
        private var unreported: Set<Int> = []
        /// Whether the delegate still has to be called for them.
        private(set) var areAwaited = false

        /// Whether the delegate has to be called now.
        var areComplete: Bool { areAwaited && unreported.isEmpty }

        mutating func add(_ number: Int) {
            unreported.insert(number)
            areAwaited = true
        }

        mutating func remove(_ number: Int) { unreported.remove(number) }

        /// Records that the delegate is called now.
        mutating func noteCall() {
            if areComplete { areAwaited = false }
        }
    }

    /// Work that waits for an event.
    private struct Waiting {
        /// Until the session's tasks are known.
        var readiness: [@Sendable (isolated BackgroundClient) -> Void] = []
        /// Until the helper has all tasks and nothing waits to be acknowledged.
        var calm: [@Sendable () -> Void] = []
        /// Until the session's identifier is free.
        var gone: [@Sendable () -> Void] = []
    }

    private(set) weak var session: URLSession?
    /// Retains the session while it has events to report.
    private var kept: URLSession?
    var connection = Connection()
    /// Tasks that are not completed, or whose completion was not reported yet.
    var entries: [Int: BackgroundTaskEntry] = [:]
    /// The last request for each task that is completed here, until the helper confirms that it is gone.
    var acknowledged: [Int: BackgroundRequest] = [:]
    /// Keys of all tasks ever acknowledged here, so that none is reported twice.
    var acknowledgedKeys: Set<UInt64> = []
    /// Tasks that ended while no program was connected.
    var ended = EarlierTasks()
    /// Tasks that were already running.
    var found = EarlierTasks()
    /// Cancelled tasks that wait for their resume data.
    var awaitingResumeData: [Int: URLSessionTask] = [:]
    private var waiting = Waiting()
    /// Whether `forget` cancels all tasks of the journal.
    var forgets = false
    /// Whether another process has the session, and this one takes over when it is free.
    private var awaitsTurn = false
    /// Why the helper does not have the session, if it does not.
    private(set) var refusal: URLError?
    private nonisolated let ending = Mutex(false)
    private(set) var isReady: Bool {
        didSet { readiness.withLock { $0 = isReady } }
    }
    private nonisolated let readiness: Mutex<Bool>

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

    /// Starts the client. Called once, when the session is initialized.
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

    /// Calls a closure when the session's tasks are known: at once, unless the journal has some.
    nonisolated func whenReady(_ work: @escaping @Sendable () -> Void) {
        submit { $0.whenReadyInTurn { _ in work() } }
    }

    func whenReadyInTurn(_ work: @escaping @Sendable (isolated BackgroundClient) -> Void) {
        if isReady { work(self) } else { waiting.readiness.append(work) }
    }

    /// Calls a closure when the helper has all tasks and nothing waits to be acknowledged.
    func whenCalm(_ work: @escaping @Sendable () -> Void) {
        waiting.calm.append(work)
    }

    private var isBusy: Bool {
        !isReady || !acknowledged.isEmpty || entries.values.contains(where: \.needsHelper)
    }

    /// Connects, waits or disconnects, as the tasks require.
    func proceed() {
        if awaitsTurn, isEnding, !isBusy { stopWaiting() }
        while case .disconnected = connection.stage, isBusy || awaitsTurn { connect() }
        if case .waiting = connection.stage, isBusy { attach() }  // it may be free now
        if !isBusy { finishIfIdle() }
        notifyFinish()
        kept = isBusy || ended.areAwaited || found.areAwaited ? session : nil
        let isSafe =
            acknowledged.isEmpty && entries.values.allSatisfy { $0.isKept || !$0.needsHelper }
        if isSafe, !waiting.calm.isEmpty {
            let calls = waiting.calm
            waiting.calm = []
            for call in calls { call() }
        }
    }

    func send(_ request: BackgroundRequest) {
        guard case .attached = connection.stage else { return }
        connection.channel?.send(request)
    }

    /// Called when a task has made progress: earlier losses no longer count.
    func noteMovement() {
        connection.losses = 0
    }

    // MARK: - Messages

    func receive() {
        guard let channel = connection.channel else { return }
        for reply in channel.turn() { receive(reply) }
        if channel.isClosed, connection.channel === channel {
            connectionLost("the helper went away")
        }
    }

    private func receive(_ reply: BackgroundReply) {
        switch (connection.stage, reply) {
        case (.greeting, .welcome):
            attach()
        case (.greeting, .givingWay):
            connection.lastReason = "an older helper does not give way"
            connection.channel?.close()
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
            connection.stage = .attached
            awaitsTurn = false
            connection.attempts = 0
            refusal = nil
            sendCurrentState()
            becomeReady()
        case (.attached, _):
            handle(reply)
        default:
            connection.channel?.close()
        }
    }

    /// Asks for the session. A client that only waits yields to the process that had it before.
    private func attach() {
        let waits = awaitsTurn && !isBusy
        connection.stage = waits ? .waiting : .attaching
        if waits { connection.attempts = 0 }
        connection.channel?.send(
            .attach(session: identifier, owner: PendingTaskSpool.owner, waits: waits ? true : nil)
        )
    }

    /// Another process has the session: the tasks of this one fail, and it stays connected to take over.
    private func awaitTurn(_ error: URLError) {
        // `forget` does not wait for another process.
        guard !forgets else { return refuse(error) }
        connection.stage = .waiting
        awaitsTurn = true
        giveUpTasks(error)
    }

    private func stopWaiting() {
        awaitsTurn = false
        if case .starting(let source) = connection.stage { source.cancel() }
        disconnect()
    }

    private func becomeReady() {
        guard !isReady else { return }
        isReady = true
        let calls = waiting.readiness
        waiting.readiness = []
        for call in calls { call(self) }
        session?.finishInvalidationIfIdle()
    }

    /// Called when the connection is lost. `proceed()` connects again if needed.
    func connectionLost(_ reason: String) {
        connection.lastReason = reason
        connection.losses += 1
        closeChannel()
    }

    private func closeChannel() {
        connection.channel?.close()
        connection.channel = nil
        connection.stage = .disconnected
        connection.announced = []
    }

    /// Disconnects if there is nothing left to do, so that others can have the session.
    private func finishIfIdle() {
        switch connection.stage {
        case .attached: disconnect()
        case .disconnected: break
        case .queueing, .starting, .greeting, .attaching, .waiting: return
        }
        let calls = waiting.gone
        waiting.gone = []
        for call in calls { call() }
    }

    func disconnect() {
        closeChannel()
        BackgroundHolders.leave(self)
        connection.attempts = 0
    }

    func whenGone(_ work: @escaping @Sendable () -> Void) {
        if case .disconnected = connection.stage, !isBusy {
            work()
        } else {
            waiting.gone.append(work)
        }
    }

    /// Whether its session was invalidated, or is gone.
    nonisolated var isEnding: Bool { ending.withLock { $0 } }

    nonisolated func noteInvalidation() {
        ending.withLock { $0 = true }
        submit { _ in }  // wakes a client that may be waiting
    }

    /// Fails the tasks, which the helper cannot have.
    func refuse(_ error: URLError) {
        closeChannel()
        BackgroundHolders.leave(self)
        awaitsTurn = false
        giveUpTasks(error)
    }

    private func giveUpTasks(_ error: URLError) {
        connection.attempts = 0
        connection.losses = 0
        acknowledged = [:]
        refusal = error
        failAll(with: error)
        becomeReady()
    }
}

extension BackgroundClient: ExitHandler {
    /// Called when the process exits: waits up to two seconds until the helper has all tasks.
    nonisolated func handleExit() {
        let calm = DispatchSemaphore(value: 0)
        submit { $0.whenCalm { calm.signal() } }
        _ = calm.wait(timeout: .now() + 2)
    }
}
