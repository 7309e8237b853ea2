import CCurl
import CBackgroundHelper
import Dispatch
import FoundationEssentials
import Glibc
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
    nonisolated let places: BackgroundPlaces
    private let environment: [String: String]

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
        case attached
    }

    private(set) weak var session: URLSession?
    /// The session, as long as it may have something to tell that nobody else keeps it for.
    private var kept: URLSession?
    private(set) var stage = Stage.apart
    private(set) var channel: Channel?
    /// Tasks that have no end yet, or whose end was not told yet.
    var errands: [Int: Errand] = [:]
    /// What the helper was told, or will be, of tasks that are over here; until it says that they are
    /// gone.
    var settled: [Int: BackgroundRequest] = [:]
    /// Keys of all that was ever settled here: what comes up again is not told twice.
    var settledKeys: Set<UInt64> = []
    /// Tasks that ended while no program was there, or that were found under way, and were not told
    /// yet.
    var pending: Set<Int> = []
    var found: Set<Int> = []
    var owesPending = false
    var owesFound = false
    /// Cancelled tasks whose resume data is awaited.
    var awaitingResumeData: [Int: URLSessionTask] = [:]
    /// Tasks the helper has told of on this line.
    var met: Set<Int> = []
    /// What to do once it is known which tasks there are.
    private var awaitingReadiness: [@Sendable (isolated BackgroundClient) -> Void] = []
    /// Whether tasks that turn up are cancelled unseen.
    var forgets = false
    /// Why no helper has the session, if that is so.
    private(set) var refusal: URLError?
    private var awaitingCalm: [@Sendable () -> Void] = []
    private(set) var isReady: Bool {
        didSet { readiness.withLock { $0 = isReady } }
    }
    private nonisolated let readiness: Mutex<Bool>
    /// Attempts to reach a helper since the last that led to something.
    private var attempts = 0
    /// How often a helper was lost since a task last moved.
    private var losses = 0
    private var lastReason: String?

    init(
        identifier: String, settings: BackgroundSettings, environment: [String: String],
        places: BackgroundPlaces, hasRecords: Bool
    ) {
        self.identifier = identifier
        self.settings = settings
        self.environment = environment
        self.places = places
        isReady = !hasRecords
        readiness = Mutex(!hasRecords)
    }

    nonisolated var isReadyNow: Bool { readiness.withLock { $0 } }

    /// To be called once, as soon as the session is there.
    nonisolated func begin(for session: URLSession) {
        LastWishes.add(self)
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
        !isReady || !settled.isEmpty || errands.values.contains(where: \.needsHelper)
    }

    /// Does what comes next.
    func proceed() {
        while case .apart = stage, isBusy { reach() }
        if !isBusy { rest() }
        tellFinish()
        kept = isBusy || owesPending || owesFound ? session : nil
        let isSafe = settled.isEmpty && errands.values.allSatisfy { $0.isKept || !$0.needsHelper }
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

    // MARK: - Reaching a helper

    /// The clients of this process that have, or want, a session.
    private static let holders = Mutex<[Holding: WeakClient]>([:])

    private struct Holding: Hashable {
        var identifier: String
        var state: String
    }

    private struct WeakClient: Sendable {
        weak var client: BackgroundClient?
    }

    private var holding: Holding { Holding(identifier: identifier, state: places.state) }

    /// Who else in this process has the session; else it is ours.
    private func takeHold() -> BackgroundClient? {
        Self.holders.withLock { holders in
            if let other = holders[holding]?.client, other !== self { return other }
            holders[holding] = WeakClient(client: self)
            return nil
        }
    }

    private func letGo() {
        Self.holders.withLock { holders in
            if holders[holding]?.client === self { holders[holding] = nil }
        }
    }

    private func reach() {
        if let other = takeHold() {
            guard other.isEnding else {
                return refuse(
                    URLError(
                        .backgroundSessionInUseByAnotherProcess,
                        underlyingText: "another session of this process has the identifier"))
            }
            // The session before was invalidated: it is ours as soon as its last word is out.
            stage = .queueing
            let next: @Sendable () -> Void = { [weak self] in self?.submit { $0.stage = .apart } }
            other.submit { $0.whenGone(next) }
            return
        }
        attempts += 1
        guard attempts <= 6, losses <= 25 else {
            return refuse(
                URLError(
                    .backgroundSessionWasDisconnected,
                    underlyingText: lastReason ?? "the helper cannot be reached"))
        }
        if let path = BackgroundLock.address(places), isOurs(path),
            let descriptor = BackgroundSocket.connect(to: path)
        {
            greet(descriptor)
        } else {
            start()
        }
    }

    /// Whether a socket lies in a folder that is our user's alone.
    private func isOurs(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return false }
        var facts = stat()
        return lstat(String(path[..<slash]), &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
            && facts.st_uid == geteuid() && facts.st_mode & 0o077 == 0
    }

    private func greet(_ descriptor: Int32) {
        let channel = Channel(descriptor, on: executor.queue) { [weak self] in
            self?.assumeIsolated { client in
                client.hear()
                client.proceed()
            }
        }
        guard channel.peer != nil else {
            lastReason = "the socket of the helper is another user's"
            return channel.close()
        }
        self.channel = channel
        stage = .greeting
        channel.send(.hello(version: BackgroundVersion.current))
    }

    private func start() {
        guard byteclub_helper_is_part_of_program() else {
            return refuse(
                URLError(
                    .backgroundSessionWasDisconnected,
                    underlyingText: "a library that was loaded later cannot start a helper"))
        }
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            return lose("no socket: \(lastSystemError)")
        }
        let words = BackgroundEnvironment.fitting(environment)
            .map { strdup("\($0.key)=\($0.value)") }
        let code = (words.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { list in
            list.baseAddress.map { byteclub_helper_start($0, ends[1]) } ?? EINVAL
        }
        for word in words { free(word) }
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            return lose("the helper cannot be started: \(String(cString: strerror(code)))")
        }
        awaitAnnouncement(on: ends[0])
    }

    private func awaitAnnouncement(on descriptor: Int32) {
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: executor.queue)
        source.setEventHandler { @Sendable [self] in
            var bytes = [UInt8](repeating: 0, count: 2048)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            assumeIsolated { client in
                client.announced(String(decoding: bytes[..<max(0, count)], as: UTF8.self))
                client.proceed()
            }
        }
        source.setCancelHandler { @Sendable in close(descriptor) }
        stage = .starting(source)
        source.activate()
    }

    /// The helper can be reached, or tells why not. Without a word it ended because another one is
    /// there, or was not let live.
    private func announced(_ text: String) {
        guard case .starting(let source) = stage else { return }
        source.cancel()
        if !text.isEmpty, text != "\n" { lastReason = text }
        stage = .apart
    }

    // MARK: - On the line

    private func hear() {
        guard let channel else { return }
        for reply in channel.turn() { take(reply) }
        if channel.isClosed, self.channel === channel { lose("the helper went away") }
    }

    private func take(_ reply: BackgroundReply) {
        switch (stage, reply) {
        case (.greeting, .welcome):
            stage = .attaching
            channel?.send(.attach(session: identifier))
        case (.greeting, .givingWay):
            lastReason = "an older helper does not give way"
            channel?.close()
        case (.attaching, .inUse(let process)):
            refuse(
                URLError(
                    .backgroundSessionInUseByAnotherProcess,
                    underlyingText: "process \(process) has a session with this identifier"))
        case (.attaching, .task(let record)):
            meet(record)
        case (.attaching, .attached):
            stage = .attached
            attempts = 0
            refusal = nil
            introduce()
            becomeReady()
        case (.attached, _):
            hear(reply)
        default:
            channel?.close()
        }
    }

    private func becomeReady() {
        guard !isReady else { return }
        isReady = true
        let waiting = awaitingReadiness
        awaitingReadiness = []
        for work in waiting { work(self) }
        session?.sayGoodbyeIfDone()
    }

    /// The line is broken. `proceed()` mends it if there is a reason.
    private func lose(_ reason: String) {
        lastReason = reason
        losses += 1
        drop()
    }

    private func drop() {
        channel?.close()
        channel = nil
        stage = .apart
        met = []
    }

    /// All is said: nothing is kept of the helper, and others may have the session.
    private func rest() {
        switch stage {
        case .attached: part()
        case .apart: break
        case .queueing, .starting, .greeting, .attaching: return
        }
        let waiting = awaitingGone
        awaitingGone = []
        for work in waiting { work() }
    }

    func part() {
        drop()
        letGo()
        attempts = 0
    }

    private var awaitingGone: [@Sendable () -> Void] = []

    private func whenGone(_ work: @escaping @Sendable () -> Void) {
        if case .apart = stage, !isBusy { work() } else { awaitingGone.append(work) }
    }

    /// Whether its session was invalidated, or is gone.
    private nonisolated var isEnding: Bool { ending.withLock { $0 } }
    private nonisolated let ending = Mutex(false)

    nonisolated func noteInvalidation() {
        ending.withLock { $0 = true }
    }

    /// No helper will have these tasks.
    private func refuse(_ error: URLError) {
        drop()
        letGo()
        attempts = 0
        losses = 0
        settled = [:]
        refusal = error
        failAll(with: error)
        becomeReady()
    }
}

extension BackgroundClient: HasLastWish {
    /// The process exits: what was given to the session has to be in the helper's hands. Waits for two
    /// seconds at most.
    nonisolated func fulfilLastWish() {
        let calm = DispatchSemaphore(value: 0)
        submit { $0.whenCalm { calm.signal() } }
        _ = calm.wait(timeout: .now() + 2)
    }
}
