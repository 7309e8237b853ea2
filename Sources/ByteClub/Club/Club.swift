internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import Messages
internal import TextEditing

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
        /// The last attempt failed; another follows automatically.
        case failed(StoreError)
    }

    /// Opens the store; called again after a failure, since an embedded club may have to be restarted.
    ///
    /// `refused` is the last one whose sign-in the server has refused: somebody may have signed in since.
    typealias Connect =
        @Sendable (_ refused: (any RemoteStore)?) async throws(StoreError) -> any RemoteStore

    /// As it will be when what waits has reached it.
    var contents = ClubContents()
    /// As the club has told.
    var told = ClubContents() {
        didSet { showWaiting() }
    }
    var known = Known()
    var connection = Connection.connecting
    /// What was here at the start, and is kept up to date; nil for a club that nothing is kept of.
    let local: LocalClub?
    /// What was done here and has not reached the club yet, in order.
    var waiting: [WaitingChange] = []
    /// Set by the app, the list and the screen.
    var handlers = Handlers()
    private var link: Link
    /// Who is signed in, once that is known; never for the club on this computer.
    var account: Account?
    /// Counts what is in flight; the long poll does not count.
    let activity: any ActivityCounting
    let undecodable = UndecodablePhotos()

    private var observers: [() -> (any ClubObserver)?] = []
    var looking = Looking()
    var outgoing = Outgoing()
    var incoming = Incoming()
    /// Whether it is on the screen no more: nothing begins again.
    private(set) var hasLeft = false

    private var calls = CallsInFlight()

    /// What the settings say of it.
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

    /// Observers are held weakly and told at once how things stand.
    func addObserver(_ observer: any ClubObserver) {
        observers.append { [weak observer] in observer }
        observer.clubDidChange(self)
    }

    /// Starts following the club's folder, and goes on until `stop()`.
    func start() {
        guard looking.watching == nil else { return }
        looking.watching = Task { await watch() }
    }

    func stop() {
        looking.stop()
        incoming.task?.cancel()
        incoming.task = nil
    }

    /// Stops all of it, for ever: another club comes on the screen. What is on its way waits again.
    func leave() {
        hasLeft = true
        stop()
        outgoing.task?.cancel()
        outgoing.later?.cancel()
    }

    /// Lists the club again at the person's request; also ends the wait after a failure.
    func refresh() {
        looking.refreshCount += 1
        known.cursor = nil
        stop()
        // What the club has refused may be taken by now.
        if waiting.contains(where: { $0.problem != nil }) {
            local?.note { try $0.clearProblems() }
            Task { await refreshWaiting() }
        }
        account = nil
        start()
    }

    /// Opens the club again: somebody has signed in, perhaps with another password.
    func reconnect() {
        link.generation += 1
        link.store = nil
        link.refused = nil
        refresh()
    }

    /// Goes on under other settings of the same club: the person believes another key of its server now.
    func reconnect(as settings: ClubSettings, connect: @escaping Connect) {
        self.settings = settings
        link.connect = connect
        reconnect()
    }

    /// Shows a file that the store has just confirmed, without waiting for the long poll to tell.
    func record(_ file: RemoteFile) {
        local?.note { try $0.recordOwnWrite(file) }
        show(file)
    }

    /// Shows a file as the store has just said that it is.
    private func show(_ file: RemoteFile) {
        told.apply([.file(file)])
        local?.note { try $0.record([.file(file)], isOwn: true) }
        notify()
        lookAgain(atAnyOf: [file.path], unless: file.revision)
    }

    /// Shows a file that the store has just confirmed, and keeps its text.
    func record(_ file: RemoteFile, text: TextBuffer) {
        record(file)
        local?.note {
            try $0.keep([(file, Data(text.bytes(in: 0..<text.count)))], isOwn: true)
        }
    }

    /// Shows a file under its new name.
    ///
    /// - Parameter revision: Of the file before.
    func recordMove(of path: RemotePath, in revision: Revision? = nil, to file: RemoteFile?) {
        told.apply([.deleted(path)] + (file.map { [.file($0)] } ?? []))
        local?.note { copy in
            try copy.recordMove(of: path, in: revision, to: file)
            if let file { try copy.recordOwnWrite(file) }
        }
        notify()
        lookAgain(atAnyOf: [path] + (file.map { [$0.path] } ?? []), unless: file?.revision)
    }

    /// Forgets a file that was removed from here.
    func recordRemoval(of file: RemoteFile) {
        told.apply([.deleted(file.path)])
        local?.note { try $0.recordOwnDeletion(of: file) }
        notify()
        lookAgain(atAnyOf: [file.path], unless: nil)
    }

    /// Forgets a path that is in the store no more.
    ///
    /// - Parameter isOwn: Whether it was removed from here.
    func recordRemoval(of path: RemotePath, isOwn: Bool = true) {
        told.apply([.deleted(path)])
        local?.note { try $0.record([.deleted(path)], isOwn: isOwn) }
        notify()
        lookAgain(atAnyOf: [path], unless: nil)
    }

    /// Remembers what was told while calls are in flight: it may be newer than their answers.
    func noteTold(_ entries: [RemoteEntry]) {
        guard calls.count > 0 else { return }
        for entry in entries { calls.told[entry.path] = .some(entry.file?.revision) }
    }

    /// Asks again where the club has told something else than an answer that has come after it.
    private func lookAgain(atAnyOf paths: [RemotePath], unless revision: Revision?) {
        for path in paths {
            guard let told = calls.told.removeValue(forKey: path), told != revision else {
                continue
            }
            lookAgain(at: path)
        }
    }

    /// Asks what is at a path now, without waiting for the next look at the folder.
    func lookAgain(at path: RemotePath) { Task { await look(at: path) } }

    /// Asks what is at a path now, and shows it.
    ///
    /// - Returns: Nil if there is no file, or if the club cannot be asked; the next changes of the folder then
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
        if calls.count == 0 { calls.told = [:] }
        calls.count += 1
        defer {
            calls.count -= 1
            activity.end()
        }
        let observer: @Sendable (RetryNotice) -> Void = { [weak self] notice in
            ActivityLog.write("retry: \(notice.sentence)")
            Task { @MainActor [weak self] in self?.handlers.willRetry?(notice) }
        }
        let result = await RetryNotice.told(to: observer) {
            await Self.result { () throws(StoreError) in try await ask(call) }
        }
        if case .failure(let error) = result { ActivityLog.write("store: \(error)") }
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

    /// Nil until it is needed, and after a failure.
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
        return opened
    }

    /// Runs a call on the store; once more on another one when the sign-in is refused and there is a newer.
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

    /// Looks whether somebody has signed in since a sign-in that the server refuses, perhaps in another
    /// program. What was refused is not tried again.
    ///
    /// - Returns: Nil when nobody has.
    private func openStore(inPlaceOf refused: any RemoteStore) async -> (any RemoteStore)? {
        link.refused = refused
        letGo(of: refused)
        if let opened = try? await openStore(), !Self.areSame(opened, refused) { return opened }
        // The next request looks again.
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
