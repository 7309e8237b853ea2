internal import ClubAccess
internal import ClubStore

/// Who is told when the club's folder or the connection to it has changed.
@MainActor protocol ClubObserver: AnyObject {
    func clubDidChange(_ club: Club)
}

/// The club the app is in: what its folder holds, kept up to date by one long poll.
///
/// Everything here is main-actor state; the store's calls run elsewhere. Other members' changes
/// arrive by themselves; one's own writes are shown as soon as the store has confirmed them.
@MainActor final class Club {
    enum Connection {
        /// The first listing has not come yet.
        case connecting
        case connected
        /// The last attempt failed; another will follow by itself.
        case failed(StoreError)
    }

    /// Opens the store; called again after a failure, since an embedded club may have to be restarted.
    ///
    /// `refused` is the last one whose sign-in the server has refused: somebody may have signed in since.
    typealias Connect =
        @Sendable (_ refused: (any RemoteStore)?) async throws(StoreError) -> any RemoteStore

    private(set) var contents = ClubContents()
    /// What is in the folder, too, but has no name that could be asked for.
    private(set) var skipped: [String] = []
    private(set) var connection = Connection.connecting
    private(set) var store: (any RemoteStore)?
    /// The last store whose sign-in the server has refused.
    private var refused: (any RemoteStore)?
    /// Who is signed in, once that is known; never for the club on this computer.
    private(set) var account: Account?
    /// Has the person sign in again and then goes on; set by the app.
    var signInAgain: ((_ then: @escaping () -> Void) -> Void)?
    /// Told that a call waits before it is sent again; set by the screen.
    var willRetry: ((RetryNotice) -> Void)?
    /// Counts what is in flight; the long poll does not count.
    let activity: any ActivityCounting

    private var connect: Connect
    private var observers: [() -> (any ClubObserver)?] = []
    private var watching: Task<Void, Never>?

    /// Counts reconnections: a store that was requested before the latest one is discarded.
    private var era = 0
    /// Counts how often the person has asked to look again.
    private(set) var refreshCount = 0

    /// Counts how often the whole folder has been listed.
    private(set) var listingCount = 0

    /// What the settings say of it.
    private(set) var settings: ClubSettings

    init(
        _ settings: ClubSettings = .embedded, activity: any ActivityCounting,
        connect: @escaping Connect
    ) {
        self.settings = settings
        self.activity = activity
        self.connect = connect
    }

    /// Observers are held weakly and told at once how things stand.
    func addObserver(_ observer: any ClubObserver) {
        observers.append { [weak observer] in observer }
        observer.clubDidChange(self)
    }

    /// Starts following the club's folder, and goes on until `stop()`.
    func start() {
        guard watching == nil else { return }
        watching = Task { await watch() }
    }

    func stop() {
        watching?.cancel()
        watching = nil
    }

    /// Lists the club again at the person's request; also ends the wait after a failure.
    func refresh() {
        refreshCount += 1
        stop()
        account = nil
        start()
    }

    /// Opens the club again: somebody has signed in, perhaps with another password.
    func reconnect() {
        era += 1
        store = nil
        refused = nil
        refresh()
    }

    /// Goes on under other settings of the same club: the person believes another key of its server now.
    func reconnect(as settings: ClubSettings, connect: @escaping Connect) {
        self.settings = settings
        self.connect = connect
        reconnect()
    }

    /// Shows a file that the store has just confirmed, without waiting for the long poll to tell.
    func record(_ file: RemoteFile) {
        contents.apply([.file(file)])
        notify()
    }

    /// Forgets a path that the store has just removed.
    func recordRemoval(of path: RemotePath) {
        contents.apply([.deleted(path)])
        notify()
    }

    /// Asks what is at a path now, without waiting for the next look at the folder.
    func lookAgain(at path: RemotePath) {
        Task {
            do throws(StoreError) {
                let file = try await perform { store throws(StoreError) in
                    try await store.metadata(of: path)
                }
                record(file)
            } catch {
                // The folder tells of it later.
                if error.code == .notFound { recordRemoval(of: path) }
            }
        }
    }

    /// An error in words, for this kind of club.
    func sentence(for error: StoreError) -> ErrorMessage {
        ErrorMessage(error, club: settings.kind)
    }

    /// Runs a call on the store, counted as in flight.
    ///
    /// - Throws: The call's error; `.offline` while there is no connection yet.
    func perform<Value: Sendable>(
        _ call: (any RemoteStore) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        activity.begin()
        defer { activity.end() }
        let observer: @Sendable (RetryNotice) -> Void = { [weak self] notice in
            Task { @MainActor [weak self] in self?.willRetry?(notice) }
        }
        let result = await RetryNotice.$observer.withValue(observer) {
            await Self.result { () throws(StoreError) in try await ask(call) }
        }
        return try result.get()
    }

    private static func result<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async -> Result<Value, StoreError> {
        do throws(StoreError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}

extension Club {
    /// How long to wait before the next attempt after this many failures in a row.
    private static func pause(afterFailures count: Int) -> Duration {
        .seconds([1, 2, 4, 8, 15][min(count, 5) - 1])
    }

    /// The store, connected on demand.
    func openStore() async throws(StoreError) -> any RemoteStore {
        if let store { return store }
        let asked = era
        let opened = try await connect(refused)
        if asked == era { store = opened }
        return opened
    }

    /// Runs a call on the store; once more on another one when the sign-in is refused and there is a newer.
    private func ask<Value: Sendable>(
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

    /// Looks whether somebody has signed in since a sign-in that the server refuses, perhaps in another
    /// program. What was refused is not tried again.
    ///
    /// - Returns: Nil when nobody has.
    private func openStore(inPlaceOf refused: any RemoteStore) async -> (any RemoteStore)? {
        self.refused = refused
        letGo(of: refused)
        if let opened = try? await openStore(), !Self.areSame(opened, refused) { return opened }
        // Whoever asks next looks again.
        letGo(of: refused)
        return nil
    }

    private func letGo(of refused: any RemoteStore) {
        if let store, Self.areSame(store, refused) { self.store = nil }
    }

    private static func areSame(_ one: any RemoteStore, _ other: any RemoteStore) -> Bool {
        (one as AnyObject) === (other as AnyObject)
    }

    private func watch() async {
        var failures = 0
        while !Task.isCancelled {
            do throws(StoreError) {
                let cursor = try await listAnew()
                failures = 0
                await askForAccount()
                try await follow(from: cursor)
            } catch {
                if Task.isCancelled { return }
                if error.code == .cursorReset { continue }
                failures += 1
                store = nil
                connection = .failed(error)
                notify()
                // Only a person can help: a refresh comes with the new sign-in. (A server that is not
                // believed may be a network's sign-in page, which goes away.)
                if error.code == .unauthorized, settings.needsSignIn { return }
                try? await Pause.sleep(for: Self.pause(afterFailures: failures))
            }
        }
    }

    private func listAnew() async throws(StoreError) -> Cursor {
        let listing = try await perform { store throws(StoreError) in
            try await store.list(.root, recursive: true)
        }
        let contents = await ClubContents.make(from: listing)
        if Task.isCancelled { throw StoreError(.cancelled, during: .list) }
        self.contents = contents
        listingCount += 1
        skipped = listing.skipped
        connection = .connected
        notify()
        return listing.cursor
    }

    /// Once for each connection: it changes slowly, and costs requests.
    private func askForAccount() async {
        guard settings.needsSignIn, account == nil else { return }
        account = try? await perform { store throws(StoreError) in try await store.account() }
        if account != nil, !Task.isCancelled { notify() }
    }

    private func follow(from cursor: Cursor) async throws(StoreError) {
        var cursor = cursor
        while !Task.isCancelled {
            let (last, asked) = (cursor, ContinuousClock.now)
            let hasChanges = try await ask { store throws(StoreError) in
                try await store.waitForChanges(after: last, atMost: .seconds(240))
            }
            guard hasChanges else { continue }
            let changes = try await ask { store throws(StoreError) in
                try await store.changes(since: last)
            }
            if Task.isCancelled { return }
            cursor = changes.cursor
            guard !changes.entries.isEmpty else {
                // A server that answers at once with nothing must not keep us busy.
                if ContinuousClock.now - asked < .milliseconds(100) {
                    try? await Pause.sleep(for: .seconds(1))
                }
                continue
            }
            contents.apply(changes.entries)
            notify()
        }
    }

    private func notify() {
        observers.removeAll { $0() == nil }
        for observer in observers { observer()?.clubDidChange(self) }
    }
}
