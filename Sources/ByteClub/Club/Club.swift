internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TextEditing

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
    private var link: Link
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

    private var calls = CallsInFlight()

    /// The club's settings.
    private(set) var settings: ClubSettings

    init(
        _ settings: ClubSettings = .embedded, activity: any ActivityCounting, library: URL? = nil,
        connect: @escaping Connect
    ) {
        local = library.map(LocalClub.init(folder:))
        self.settings = settings
        self.activity = activity
        link = Link(connect: connect)
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
        link.generation += 1
        link.store = nil
        link.refused = nil
        refresh()
    }

    /// Reconnects with changed settings of the same club: another server key was accepted.
    func reconnect(as settings: ClubSettings, connect: @escaping Connect) {
        self.settings = settings
        link.connect = connect
        reconnect()
    }

    /// Shows a file that the store has confirmed, before the long poll reports it.
    func record(_ file: RemoteFile) {
        local?.note { try $0.recordOwnWrite(file) }
        show(file)
    }

    /// Shows a file in the state that the store has reported.
    private func show(_ file: RemoteFile) {
        reported.apply([.file(file)])
        local?.note { try $0.record([.file(file)], isOwn: true) }
        notify()
        lookAgain(atAnyOf: [file.path], unless: file.revision)
    }

    /// Shows a file that the store has confirmed, and stores its text.
    func record(_ file: RemoteFile, text: TextBuffer) {
        record(file)
        local?.note {
            try $0.keep([(file, text.data)], isOwn: true)
        }
    }

    /// Shows a file under its new name.
    ///
    /// - Parameter revision: The revision before the move.
    func recordMove(of path: RemotePath, in revision: Revision? = nil, to file: RemoteFile?) {
        reported.apply([.deleted(path)] + (file.map { [.file($0)] } ?? []))
        local?.note { copy in
            try copy.recordMove(of: path, in: revision, to: file)
            if let file { try copy.recordOwnWrite(file) }
        }
        notify()
        lookAgain(atAnyOf: [path] + (file.map { [$0.path] } ?? []), unless: file?.revision)
    }

    /// Removes a file that was deleted here.
    func recordRemoval(of file: RemoteFile) {
        reported.apply([.deleted(file.path)])
        local?.note { try $0.recordOwnDeletion(of: file) }
        notify()
        lookAgain(atAnyOf: [file.path], unless: nil)
    }

    /// Removes a path that is no longer in the store.
    ///
    /// - Parameter isOwn: Whether it was deleted here.
    func recordRemoval(of path: RemotePath, isOwn: Bool = true) {
        reported.apply([.deleted(path)])
        local?.note { try $0.record([.deleted(path)], isOwn: isOwn) }
        notify()
        lookAgain(atAnyOf: [path], unless: nil)
    }

    /// Notes revisions reported while calls are pending: they may be newer than the responses.
    func noteReported(_ entries: [RemoteEntry]) {
        guard !calls.isEmpty else { return }
        for entry in entries { calls.reported[entry.path] = .some(entry.file?.revision) }
    }

    /// Refetches when a change notification contradicts a later response.
    private func lookAgain(atAnyOf paths: [RemotePath], unless revision: Revision?) {
        for path in paths {
            guard let reported = calls.reported.removeValue(forKey: path), reported != revision
            else {
                continue
            }
            lookAgain(at: path)
        }
    }

    /// Fetches the metadata of a path now, instead of waiting for the next poll.
    func lookAgain(at path: RemotePath) { Task { await look(at: path) } }

    /// Fetches the metadata of a path and shows the file.
    ///
    /// - Returns: Nil if there is no file, or if the club is unreachable; the folder's next changes then
    ///   include it.
    @discardableResult
    func look(at path: RemotePath) async -> RemoteFile? {
        do throws(StoreError) {
            let file = try await perform { store throws(StoreError) in
                try await store.metadata(of: path)
            }
            show(file)
            return file
        } catch {
            if error.code == .notFound { recordRemoval(of: path, isOwn: false) }
            return nil
        }
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
            await Self.result { () throws(StoreError) in try await ask(call) }
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

extension Club {
    /// The store, connected on demand.
    func openStore() async throws(StoreError) -> any RemoteStore {
        if let store { return store }
        let asked = link.generation
        let opened = try await link.connect(link.refused)
        if asked == link.generation { link.store = opened }
        await noteConfirmed([])
        return opened
    }

    /// Tells the store, now or when it is open, which files other programs on this computer have confirmed.
    func noteConfirmed(_ files: [RemoteFile]) async {
        link.confirmed += files
        guard let store, !link.confirmed.isEmpty else { return }
        let confirmed = link.confirmed
        link.confirmed = []
        await Self.tell(store, confirmed)
    }

    @concurrent private nonisolated static func tell(
        _ store: any RemoteStore, _ confirmed: [RemoteFile]
    ) async {
        for file in confirmed { store.noteConfirmed(file) }
    }

    /// Runs a call on the store. If the sign-in is rejected and a newer one exists, repeats it once with
    /// that.
    func ask<Value: Sendable>(
        _ call: (any RemoteStore) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let store = try await openStore()
        do throws(StoreError) {
            return try await call(store)
        } catch {
            guard error.code == .unauthorized, let newer = await openStore(inPlaceOf: store)
            else { throw error }
            return try await call(newer)
        }
    }

    /// Opens the store again after its sign-in was rejected: the user may have signed in since, perhaps in
    /// another program. A rejected sign-in is not used again.
    ///
    /// - Returns: Nil without a newer sign-in.
    private func openStore(inPlaceOf refused: any RemoteStore) async -> (any RemoteStore)? {
        link.refused = refused
        letGo(of: refused)
        if let opened = try? await openStore(), !Self.areSame(opened, refused) { return opened }
        // The next request tries again.
        letGo(of: refused)
        return nil
    }

    private func letGo(of refused: any RemoteStore) {
        if let store, Self.areSame(store, refused) { link.store = nil }
    }

    private static func areSame(_ one: any RemoteStore, _ other: any RemoteStore) -> Bool {
        (one as AnyObject) === (other as AnyObject)
    }
}
