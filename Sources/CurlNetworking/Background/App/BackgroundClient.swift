import Dispatch
import FoundationEssentials
import Synchronization

/// A background session's line to the helper.
///
/// It is connected while the session has tasks: to be told of them, and so that nobody else takes the
/// session meanwhile. A helper that is not there is started; one that went away all of a sudden is
/// started again and goes on from its journal.
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
        /// For the session that had the identifier before to end.
        case queueing
        /// A helper is on its way.
        case starting(any DispatchSourceRead)
        case greeting
        /// It tells what it knows of the session.
        case attaching
        /// Another process has the session.
        case waiting
        case attached
    }

    private(set) weak var session: URLSession?
    /// The session, as long as it may have something to tell that nobody else keeps it for.
    private var kept: URLSession?
    var stage = Stage.apart
    var channel: Channel?
    /// Tasks that have no end yet, or whose end was not told yet.
    var entries: [Int: BackgroundTaskEntry] = [:]
    /// What the helper was told, or will be, of tasks that are over here; until it says that they are
    /// gone.
    var acknowledged: [Int: BackgroundRequest] = [:]
    /// Keys of all that was ever acknowledged here: what comes up again is not told twice.
    var acknowledgedKeys: Set<UInt64> = []
    /// Tasks that ended while no program was there, or that were found under way, and were not told
    /// yet.
    var pending: Set<Int> = []
    var found: Set<Int> = []
    var hasPendingEvents = false
    var hasFoundTasks = false
    /// Cancelled tasks whose resume data is awaited.
    var awaitingResumeData: [Int: URLSessionTask] = [:]
    /// Tasks the helper has told of on this line.
    var announced: Set<Int> = []
    /// What to do once it is known which tasks there are.
    private var awaitingReadiness: [@Sendable (isolated BackgroundClient) -> Void] = []
    /// Whether tasks that turn up are cancelled unseen.
    var forgets = false
    /// Whether another process has the session: when it is free, this one takes it.
    private var awaitsTurn = false
    /// Why no helper has the session, if that is so.
    private(set) var refusal: URLError?
    private var awaitingCalm: [@Sendable () -> Void] = []
    private var awaitingGone: [@Sendable () -> Void] = []
    private nonisolated let ending = Mutex(false)
    private(set) var isReady: Bool {
        didSet { readiness.withLock { $0 = isReady } }
    }
    private nonisolated let readiness: Mutex<Bool>
    /// Attempts to reach a helper since the last that led to something.
    var attempts = 0
    /// How often a helper was lost since a task last moved.
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

    /// To be called once, as soon as the session is there.
    nonisolated func begin(for session: URLSession) {
        ExitHandlers.add(self)
        submit { client in
            client.session = session
            client.proceed()
        }
    }

    /// Runs work in its turn, then settles what follows.
    nonisolated func submit(_ work: @escaping @Sendable (isolated BackgroundClient) -> Void) {
        executor.queue.async { @Sendable [self] in
            assumeIsolated { client in
                work(client)
                client.proceed()
            }
        }
    }

    /// Calls back when it is known which tasks the session has: at once, unless the journal has some.
    nonisolated func whenReady(_ work: @escaping @Sendable () -> Void) {
        submit { $0.whenReadyInTurn { _ in work() } }
    }

    func whenReadyInTurn(_ work: @escaping @Sendable (isolated BackgroundClient) -> Void) {
        if isReady { work(self) } else { awaitingReadiness.append(work) }
    }

    /// Calls back when the helper knows all it has to and nothing is to be told.
    func whenCalm(_ work: @escaping @Sendable () -> Void) {
        awaitingCalm.append(work)
    }

    private var isBusy: Bool {
        !isReady || !acknowledged.isEmpty || entries.values.contains(where: \.needsHelper)
    }

    /// Does what comes next.
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

    /// A task has moved: whatever went wrong before was not its fault.
    func noteMovement() {
        losses = 0
    }

    // MARK: - On the line

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

    /// Asks for the session. One that only waits leaves it to the process that had it before.
    private func attach() {
        let waits = awaitsTurn && !isBusy
        stage = waits ? .waiting : .attaching
        if waits { attempts = 0 }
        channel?.send(
            .attach(session: identifier, owner: PendingTaskSpool.owner, waits: waits ? true : nil)
        )
    }

    /// Another process has the session: the tasks of this one fail, and it stays on the line.
    private func awaitTurn(_ error: URLError) {
        // Whoever wants to forget all tasks wants so now.
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

    /// The line is broken. `proceed()` mends it if there is a reason.
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

    /// All is said: nothing is kept of the helper, and others may have the session.
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

    /// No helper will have these tasks.
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
    /// The process exits: what was given to the session has to be in the helper's hands. Waits for two
    /// seconds at most.
    nonisolated func handleExit() {
        let calm = DispatchSemaphore(value: 0)
        submit { $0.whenCalm { calm.signal() } }
        _ = calm.wait(timeout: .now() + 2)
    }
}
