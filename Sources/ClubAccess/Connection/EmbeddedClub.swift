import ClubServer
public import ClubStore
import ByteClubFiles
import FoundationEssentials
import Glibc
import Synchronization

/// The club on this computer: a server process for its folder, started when needed and kept
/// alive by a lease.
///
/// The server is a separate process, so that its work never delays a key and a crash of one never
/// affects the other. Programs share one server, which exits after the last of them. If it crashes,
/// it is restarted at once, but not repeatedly.
public actor EmbeddedClub {
    /// Opens the club, or returns the open store, for the life of this program.
    ///
    /// - Parameter uploadsAtOnce: How many uploads may each have a connection. Only the first opening sets it.
    /// - Throws: A `StoreError` during `connect`; its `underlying` is an ``EmbeddedClubError``.
    public static func open(
        paths: Paths = Paths(), uploadsAtOnce: Int = 1
    ) async throws(StoreError) -> any RemoteStore {
        let club = opened.withLock { opened in
            if let club = opened[paths] { return club }
            let club = EmbeddedClub(paths: paths, uploadsAtOnce: uploadsAtOnce)
            opened[paths] = club
            return club
        }
        return try await club.open()
    }

    private static let opened = Mutex<[Paths: EmbeddedClub]>([:])

    private let paths: Paths
    private let folder: String
    private let unconfirmedWrites: URL
    /// The folders that the club requires.
    private let neededFolders: [URL]
    private let server: ServerProcess
    private let stateFolder: String
    private let uploadsAtOnce: Int
    private let credentials = Credentials()
    /// Where the store's server is, or was.
    private var place: RuntimePaths?
    private var store: DropboxStore?
    private var lease: Lease?
    private var process: pid_t?
    private var opening: Task<Result<DropboxStore, EmbeddedClubError>, Never>?
    private var lastStart: ContinuousClock.Instant?

    /// A server that ran for a shorter time is not restarted until requested.
    private static let shortLife = Duration.seconds(5)
    /// How long to wait for a server that holds the folder's lock but does not respond: it is starting
    /// or exiting.
    private static let timeout = Duration.seconds(5)
    private static let mostStarts = 3

    /// - Parameters:
    ///   - program: The server executable; this program except in tests.
    ///   - environment: The environment that `paths` were made from. The server derives the same
    ///     paths from it.
    init(
        paths: Paths, uploadsAtOnce: Int = 1, program: String = "/proc/self/exe",
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.uploadsAtOnce = uploadsAtOnce
        self.paths = paths
        folder = paths.clubFolder.path
        unconfirmedWrites = paths.embeddedUnconfirmedWrites
        stateFolder = paths.stateFolder.path
        neededFolders = [paths.clubFolder, paths.stateFolder, paths.cacheFolder]
        server = ServerProcess(
            program: program,
            arguments: [
                "serve", "--folder", folder, "--until-unused",
                "--ready-descriptor", String(ServerProcess.readyDescriptor),
            ],
            environment: environment,
            log: paths.stateFolder.appending(path: "serve.log"))
        credentials.club.withLock { $0 = WeakClub(club: self) }
    }

    /// Returns when the server responds.
    func open() async throws(StoreError) -> DropboxStore {
        do throws(EmbeddedClubError) {
            return try await ensureRunning()
        } catch {
            // In place of a club whose folder is lost, a command does not read the local copy.
            let code: StoreError.Code =
                error == .lostFolder(folder) ? .untrusted : .serverUnavailable(retryAfter: nil)
            throw StoreError(code, during: .connect, underlying: error)
        }
    }

    /// Releases the server, which exits unless others use it.
    func close() {
        lease?.release()
        lease = nil
    }

    /// Restarts a server that is unreachable or closed the connection. When it was killed, the
    /// socket reports that first and the lease a moment later.
    func revive() async {
        if let lease, lease.isHeld, let place, !Lease.isAnswered(at: place.socketPath) {
            loseLease()
        }
        _ = try? await ensureRunning()
    }

    /// Starts the server if none runs; concurrent callers share one start.
    @discardableResult
    func ensureRunning() async throws(EmbeddedClubError) -> DropboxStore {
        if let lease, lease.isHeld, let store { return store }
        let task = opening ?? Task { await joinOrStart() }
        opening = task
        let result = await task.value
        if opening == task { opening = nil }
        return try result.get()
    }
}

extension EmbeddedClub {
    private func joinOrStart() async -> Result<DropboxStore, EmbeddedClubError> {
        do throws(EmbeddedClubError) {
            if let store = takeLease(at: try findPlace()) { return .success(store) }
            try checkFolderIsNotLost()
            try checkDescriptorLimit()
            lastStart = .now
            starts: for _ in 1...Self.mostStarts {
                switch try await server.start() {
                case .ready(let process):
                    self.process = process
                    _ = Self.replaceable.withLock { $0.remove(paths) }
                    // The server may have exited again, unused, if this program was delayed: start another
                    // one.
                    if let store = takeLease(at: try findPlace()) { return .success(store) }
                case .ended:
                    // Another program is starting the server and it will be ready soon, or one is exiting and
                    // its folder will be free soon.
                    if let store = try await takeLeaseUnlessFree() { return .success(store) }
                case .timedOut:
                    break starts
                }
            }
            // The reason it logged may be lost with the log.
            try checkFolders()
            throw .serverNotReady(log: server.log.path)
        } catch {
            return .failure(error)
        }
    }

    /// The server would make a missing folder again.
    private func checkFolderIsNotLost() throws(EmbeddedClubError) {
        guard Self.hasLostFolder(at: paths), !Self.replaceable.withLock({ $0.contains(paths) })
        else { return }
        throw .lostFolder(folder)
    }

    /// A server that cannot open its files would exit at once, with the reason only in its log.
    private func checkDescriptorLimit() throws(EmbeddedClubError) {
        do throws(ClubServerError) {
            try ClubServer.checkDescriptorLimit()
        } catch {
            throw .tooManyOpenFiles(error.message)
        }
    }

    private func checkFolders() throws(EmbeddedClubError) {
        for folder in neededFolders {
            do throws(AtomicFile.Failure) {
                try AtomicFile.checkFolder(folder)
            } catch {
                throw .closedFolder(folder: folder.path, reason: error.reason)
            }
        }
    }

    private func findPlace() throws(EmbeddedClubError) -> RuntimePaths {
        do throws(ClubServerError) {
            let own = try RuntimePaths(clubFolder: folder, environment: server.environment)
            // A runtime folder is removed at the last logout, and other programs may have another one.
            if !Lease.isAnswered(at: own.socketPath),
                let lasting = RuntimePaths.lasting(forClub: folder, in: stateFolder),
                Lease.isAnswered(at: lasting.socketPath)
            {
                return lasting
            }
            return own
        } catch {
            throw .noRuntimeFolder(error.message)
        }
    }

    /// - Returns: The store of the server at these paths; nil without one.
    private func takeLease(at place: RuntimePaths) -> DropboxStore? {
        // One socket of an exiting server may outlive the other; and opening a lease at an unreachable
        // one keeps it from exiting.
        guard Lease.isAnswered(at: place.socketPath),
            let taken = Lease(
                at: place.leasePath,
                whenLost: { [weak self] in
                    Task { await self?.leaseWasLost() }
                })
        else { return nil }
        lease = taken
        credentials.readToken(at: place)
        let store = self.place == place ? self.store ?? makeStore(at: place) : makeStore(at: place)
        (self.place, self.store) = (place, store)
        return store
    }

    /// Waits for the server that holds the folder.
    ///
    /// - Returns: Its store; nil when it is no longer held.
    /// - Throws: `.folderServedElsewhere` when it is held but nothing responds.
    private func takeLeaseUnlessFree() async throws(EmbeddedClubError) -> DropboxStore? {
        let deadline = ContinuousClock.now + Self.timeout
        var pause = Duration.milliseconds(10)
        while true {
            // Looked up each time: a server with another runtime folder is found when it is ready.
            let place = try findPlace()
            if let store = takeLease(at: place) { return store }
            guard isLocked(place) else { return nil }
            guard .now < deadline else { throw .folderServedElsewhere(folder: folder) }
            try? await Pause.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// Restarts the server ahead of the next request; one that crashed soon after its start, only
    /// on request.
    private func leaseWasLost() async {
        guard let lease, !lease.isHeld else { return }
        loseLease()
        if let lastStart, .now - lastStart < Self.shortLife { return }
        _ = try? await ensureRunning()
    }

    private func loseLease() {
        lease?.release()
        lease = nil
        if let process { ServerProcess.forget(process) }
        process = nil
    }

    /// Whether a server holds the folder's lock.
    private func isLocked(_ place: RuntimePaths) -> Bool {
        LockedFile.isLocked(place.lockPath) || LockedFile.isLocked(folder)
    }

    private func makeStore(at place: RuntimePaths) -> DropboxStore {
        var configuration = DropboxStore.Configuration(
            hosts: .local, unixSocketPath: place.socketPath)
        // Requests are local and cheap; a finished thumbnail should not wait for others.
        configuration.thumbnailsPerRequest = 2
        configuration.unconfirmedWritesFolder = unconfirmedWrites
        configuration.uploadConnectionLimit = uploadsAtOnce
        return DropboxStore(configuration, access: credentials)
    }
}

// MARK: - A lost folder

extension EmbeddedClub {
    /// The clubs whose lost folder may be made again.
    private static let replaceable = Mutex<Set<Paths>>([])

    /// Whether the club's folder is missing although a server has had it open: it was moved or removed, or its disk is not
    /// mounted.
    package static func hasLostFolder(at paths: Paths) -> Bool {
        let folder = paths.clubFolder.path
        // The club's identifier; any folder of sockets will do.
        guard let clubID = RuntimePaths.lasting(forClub: folder, in: "/")?.clubID else {
            return false
        }
        // A server makes the folder, then its journal. In the other order, a first server that starts at this moment would
        // look like the loss of its folder.
        var status = stat()
        guard lstat("\(paths.stateFolder.path)/club-\(clubID).journal", &status) == 0 else {
            return false
        }
        return lstat(folder, &status) != 0 && errno == ENOENT
    }

    /// What to say of a folder that is lost; nil if it is not.
    package static func lostFolderSentence(at paths: Paths) -> String? {
        guard hasLostFolder(at: paths) else { return nil }
        return EmbeddedClubError.lostFolderSentence(paths.clubFolder.path)
    }

    /// Lets this program's next server make the lost folder again: the user has been told.
    package static func allowNewFolder(at paths: Paths) {
        _ = replaceable.withLock { $0.insert(paths) }
    }
}

/// The club's access provider.
private final class Credentials: AccessProvider {
    let club = Mutex(WeakClub(club: nil))
    private let state = Mutex<(place: RuntimePaths?, token: String?)>((nil, nil))

    /// The server makes a new token at each start.
    func readToken(at place: RuntimePaths) {
        let token = place.readToken()
        state.withLock { $0 = (place, token) }
    }

    func accessToken() async throws(StoreError) -> String {
        if let token = state.withLock({ $0.token }) { return token }
        await reviveServer()
        let (place, token) = state.withLock { $0 }
        guard let token = token ?? place?.readToken() else {
            throw StoreError(.unauthorized, during: .connect, detail: "no token")
        }
        return token
    }

    func accessToken(replacing rejected: String, isExpired: Bool) async -> String? {
        guard let place = state.withLock({ $0.place }) else { return nil }
        readToken(at: place)
        return state.withLock { $0.token == rejected ? nil : $0.token }
    }

    func reviveServer() async {
        await club.withLock { $0 }.club?.revive()
    }
}

private struct WeakClub: Sendable {
    weak var club: EmbeddedClub?
}
