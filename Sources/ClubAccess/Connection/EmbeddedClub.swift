import ClubServer
public import ClubStore
import Files
import FoundationEssentials
import Glibc
import Synchronization

/// The club on this computer: a server process for its folder, started when needed and kept
/// alive by a lease.
///
/// The server is a process of its own, so that its work never delays a key and a crash of
/// one never takes the other. Several programs share one server; it leaves when the last of
/// them has gone. When it dies, it is started anew at once, but not again and again.
public actor EmbeddedClub {
    /// Opens the club, or makes sure that it is still open, for the life of this program.
    ///
    /// - Throws: A `StoreError` during `connect`; its `underlying` is an ``EmbeddedClubError``.
    public static func open(paths: Paths = Paths()) async throws(StoreError) -> any RemoteStore {
        let club = opened.withLock { opened in
            if let club = opened[paths] { return club }
            let club = EmbeddedClub(paths: paths)
            opened[paths] = club
            return club
        }
        return try await club.open()
    }

    private static let opened = Mutex<[Paths: EmbeddedClub]>([:])

    private let folder: String
    private let unsettledWrites: URL
    /// The folders without which there is no club.
    private let neededFolders: [URL]
    private let server: ServerProcess
    private let credentials = Credentials()
    private var place: ClubMeetingPlace?
    private var store: DropboxStore?
    private var lease: Lease?
    private var process: pid_t?
    private var opening: Task<Result<DropboxStore, EmbeddedClubError>, Never>?
    private var lastStart: ContinuousClock.Instant?

    /// A server that lives no longer than this is not started again without being asked for.
    private static let shortLife = Duration.seconds(5)
    /// How long to wait for a server that has the folder and does not answer: it is about to, or leaves.
    private static let patience = Duration.seconds(5)
    private static let mostStarts = 3

    /// - Parameters:
    ///   - program: What to run as the server; this program unless a test says otherwise.
    ///   - environment: What `paths` were made from. The server finds the same places by it.
    init(
        paths: Paths, program: String = "/proc/self/exe",
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        folder = paths.clubFolder.path
        unsettledWrites = paths.embeddedUnconfirmedWrites
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

    /// Returns when the server answers.
    func open() async throws(StoreError) -> DropboxStore {
        do throws(EmbeddedClubError) {
            return try await ensureRunning()
        } catch {
            throw StoreError(
                .serverUnavailable(retryAfter: nil), during: .connect, underlying: error)
        }
    }

    /// Lets the server leave, unless others use it.
    func close() {
        lease?.release()
        lease = nil
    }

    /// Sees to a server that could not be reached or broke off. The end of one that was killed is
    /// noticed at its socket first and at its lease a moment later.
    func revive() async {
        if let lease, lease.isHeld, let place, !Lease.isAnswered(at: place.socketPath) {
            loseLease()
        }
        _ = try? await ensureRunning()
    }

    /// Starts the server where there is none; several who ask at once wait for the same start.
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
            let place = try findPlace()
            let store = self.store ?? makeStore(at: place)
            self.store = store
            if takeLease(at: place) { return .success(store) }
            lastStart = .now
            starts: for _ in 1...Self.mostStarts {
                switch try await server.start() {
                case .ready(let process):
                    self.process = process
                    if takeLease(at: place) { return .success(store) }
                    break starts
                case .ended:
                    // Another program was starting the server at the same moment: it will be there
                    // soon. Or one was leaving: then its folder will be free soon.
                    if try await takeLeaseUnlessFree(place) { return .success(store) }
                case .timedOut:
                    break starts
                }
            }
            // The reason it gave may be lost with the log.
            try checkFolders()
            throw .serverNotReady(log: server.log.path)
        } catch {
            return .failure(error)
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

    private func findPlace() throws(EmbeddedClubError) -> ClubMeetingPlace {
        if let place { return place }
        do throws(ClubServerError) {
            let found = try ClubMeetingPlace(clubFolder: folder, environment: server.environment)
            place = found
            return found
        } catch {
            throw .noMeetingPlace(error.message)
        }
    }

    private func takeLease(at place: ClubMeetingPlace) -> Bool {
        // Of a server that is ending, one socket may outlive the other; and whoever looks at the lease
        // of one that cannot be reached keeps it from leaving.
        guard Lease.isAnswered(at: place.socketPath),
            let taken = Lease(
                at: place.leasePath,
                whenLost: { [weak self] in
                    Task { await self?.leaseWasLost() }
                })
        else { return false }
        lease = taken
        credentials.readToken(at: place)
        return true
    }

    /// Waits for whoever has the folder.
    ///
    /// - Returns: False when nobody has it any more.
    /// - Throws: `.folderServedElsewhere` when somebody keeps it and does not answer.
    private func takeLeaseUnlessFree(
        _ place: ClubMeetingPlace
    ) async throws(EmbeddedClubError) -> Bool {
        let deadline = ContinuousClock.now + Self.patience
        var pause = Duration.milliseconds(10)
        while true {
            if takeLease(at: place) { return true }
            guard isLocked(place) else { return false }
            guard .now < deadline else { throw .folderServedElsewhere(folder: folder) }
            try? await Pause.sleep(for: pause)
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// Starts the server again so that it is there before anyone asks; a server that died
    /// young only when asked for.
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

    /// Whether some server holds the folder's lock.
    private func isLocked(_ place: ClubMeetingPlace) -> Bool {
        let descriptor = Glibc.open(place.lockPath, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private func makeStore(at place: ClubMeetingPlace) -> DropboxStore {
        var configuration = DropboxStore.Configuration(
            hosts: .local, unixSocketPath: place.socketPath)
        // A request costs nothing here, and a picture that is ready should not wait for others.
        configuration.thumbnailsPerRequest = 2
        configuration.unsettledWritesFolder = unsettledWrites
        return DropboxStore(configuration, access: credentials)
    }
}

/// What the store asks of its club.
private final class Credentials: AccessProvider {
    let club = Mutex(WeakClub(club: nil))
    private let state = Mutex<(place: ClubMeetingPlace?, token: String?)>((nil, nil))

    /// The server makes a new token at each start.
    func readToken(at place: ClubMeetingPlace) {
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
