internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

/// Observes changes to the folder and the connection.
@MainActor protocol ClubObserver: AnyObject {
    func clubDidChange(_ club: Club)
}

/// The open club: the contents of its folder, kept up to date by one long poll.
///
/// All state is on the main actor; store calls run elsewhere. Other members' changes are shown when polled;
/// changes made here are shown as soon as the store confirms them.
@MainActor final class Club {
    enum Connection {
        /// The first listing is pending.
        case connecting
        case connected
        /// The last attempt failed; another follows automatically.
        case failed(StoreError)
    }

    /// Opens the store; called again after a failure, since an embedded club may have to be restarted.
    ///
    /// `refused` is the last store whose sign-in was rejected: the user may have signed in since.
    typealias Connect =
        @Sendable (_ refused: (any RemoteStore)?) async throws(StoreError) -> any RemoteStore

    /// The contents as they will be when the outbox has been sent.
    var contents = ClubContents()
    /// The contents last reported by the club.
    var reported = ClubContents() {
        didSet { showWaiting() }
    }
    var known = Known()
    var connection = Connection.connecting
    /// The local copy: read at the start, and kept up to date; nil for a club without one.
    let local: LocalClub?
    /// The changes in the outbox, in order.
    var waiting: [WaitingChange] = []
    /// Set by the app, the list and the screen.
    var handlers = Handlers()
    let link: StoreLink
    /// The account, once known; always nil for the embedded club.
    var account: Account?
    /// Counts pending calls, except for the long poll.
    let activity: any ActivityCounting
    let undecodable = UndecodablePhotos()

    private var observers: [() -> (any ClubObserver)?] = []
    var polling = PollingState()
    var outgoing = Outgoing()
    var incoming = Incoming()
    /// Whether the session has ended: nothing starts again.
    private(set) var hasLeft = false

    var calls = CallsInFlight()

    /// The club's settings.
    private(set) var settings: ClubSettings

    init(
        _ settings: ClubSettings = .embedded, activity: any ActivityCounting, library: URL? = nil,
        connect: @escaping Connect
    ) {
        local = library.map(LocalClub.init(folder:))
        self.settings = settings
        self.activity = activity
        link = StoreLink(connect: connect)
    }

    /// Observers are held weakly and called once immediately.
    func addObserver(_ observer: any ClubObserver) {
        observers.append { [weak observer] in observer }
        observer.clubDidChange(self)
    }

    /// Starts following the club's folder, until `stop()`.
    func start() {
        guard polling.watching == nil else { return }
        if !known.isListed, let local {
            known.isReading = true
            local.startReading()
        }
        polling.watching = Task { await watch() }
    }

    func stop() {
        known.isReading = false
        polling.stop()
        incoming.task?.cancel()
        incoming.task = nil
    }

    /// Stops everything permanently, before another club opens. Changes being sent return to the outbox.
    func leave() {
        hasLeft = true
        polling.shell = nil
        stop()
        outgoing.task?.cancel()
        outgoing.later?.cancel()
    }

    /// Lists the club again at the user's request; also ends the pause after a failure.
    func refresh() {
        polling.refreshCount += 1
        known.cursor = nil
        stop()
        // Changes that the club has refused may succeed now.
        if waiting.contains(where: { $0.problem != nil }) {
            local?.note { try $0.clearProblems() }
            Task { await refreshWaiting() }
        }
        account = nil
        start()
    }

    /// Reopens the club after a sign-in, perhaps with another password.
    func reconnect() {
        link.reset()
        refresh()
    }

    /// Reconnects with changed settings of the same club: another server key was accepted.
    func reconnect(as settings: ClubSettings, connect: @escaping Connect) {
        self.settings = settings
        link.connect = connect
        reconnect()
    }

    /// The message for an error, for this kind of club.
    func sentence(for error: StoreError) -> ErrorMessage {
        ErrorMessage(error, club: settings.kind)
    }

    /// Runs a call on the store and counts it as pending.
    ///
    /// - Parameter didFindSilence: Called on any thread each time that the server has been silent for five
    ///   seconds more, with how long it has been so.
    /// - Throws: The call's error; `.offline` while there is no connection.
    func perform<Value: Sendable>(
        didFindSilence: (@Sendable (Duration) -> Void)? = nil,
        _ call: (any RemoteStore) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        activity.begin()
        let number = calls.begin()
        defer {
            calls.end(number)
            activity.end()
        }
        let observer: @Sendable (RetryNotice) -> Void = { [weak self] notice in
            ActivityLog.write("retry: \(notice.sentence)")
            if case .silent(let duration) = notice.reason { didFindSilence?(duration) }
            Task { @MainActor [weak self] in self?.tell(notice, of: number) }
        }
        let result = await RetryNotice.reporting(to: observer) {
            await Self.result { () throws(StoreError) in try await link.ask(call) }
        }
        if calls.isLastWaiting(number) { handlers.didStopWaiting?() }
        if case .failure(let error) = result { ActivityLog.write("store: \(error)") }
        return try result.get()
    }

    /// A notice of a call that has ended meanwhile is not shown: nothing would remove it.
    private func tell(_ notice: RetryNotice, of call: Int) {
        guard calls.isPending(call) else { return }
        calls.noteWaiting(call)
        handlers.willRetry?(notice)
    }

    static func result<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async -> Result<Value, StoreError> {
        do throws(StoreError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    /// Nil until needed, and after a failure.
    var store: (any RemoteStore)? {
        get { link.store }
        set { link.store = newValue }
    }

    func notify() {
        observers.removeAll { $0() == nil }
        for observer in observers { observer()?.clubDidChange(self) }
    }
}
