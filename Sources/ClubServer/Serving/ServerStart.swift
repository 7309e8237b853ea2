import DropboxAPI
import FoundationEssentials
import Glibc

/// The start of a server, in steps. One that fails takes back those before it.
struct ServerStart {
    private let configuration: ClubServer.Configuration
    private var cleanup = Cleanup()

    init(_ configuration: ClubServer.Configuration) {
        self.configuration = configuration
    }

    mutating func run() async throws(ClubServerError) -> RunningServer {
        // Writing to a disconnected client must not kill the process.
        signal(SIGPIPE, SIG_IGN)
        let descriptorLimit = try DescriptorLimit.raise()
        let locks = try await acquireLocks()
        do throws(ClubServerError) {
            let folder = try await openFolder()
            let token = ServerToken.make()
            let entrances = try openEntrances(token: token, loop: folder.loop)
            let limits = configuration.limits ?? ConnectionLimits(descriptorLimit: descriptorLimit)
            return RunningServer(
                configuration: configuration, locks: locks, folder: folder, entrances: entrances,
                service: makeService(folder, token: token, limits: limits),
                registry: ConnectionRegistry(limits: limits, loop: folder.loop), cleanup: cleanup)
        } catch {
            await cleanup.run()
            // The next server must not start before that.
            withExtendedLifetime(locks) {}
            throw error
        }
    }

    // MARK: - Steps

    /// - Returns: The locks of the runtime folder, and of the club's own, which programs with another runtime folder
    ///   see.
    private func acquireLocks() async throws(ClubServerError) -> [ServerLock] {
        // One that was asked for by a person waits until the server of the last command has ended.
        let lock = try await ServerLock.take(
            path: configuration.lockFile, clubFolder: configuration.folder,
            patience: configuration.untilUnused ? .zero : LeaseCounter.grace * 2)
        try makeClub()
        let folderLock = try await ServerLock.take(
            folder: configuration.folder, patience: LeaseCounter.grace * 2)
        return [lock, folderLock]
    }

    /// Creates the club's folder with its welcome files if it is missing.
    private func makeClub() throws(ClubServerError) {
        let made = try ServerFolders.make(configuration.folder, purpose: "The club's folder")
        guard made == .new else { return }
        do {
            for file in try configuration.welcome() {
                let path = configuration.folder + "/" + file.path
                if let slash = path.lastIndex(of: "/") {
                    try ServerFolders.make(String(path[..<slash]), purpose: "A folder of the club")
                }
                let descriptor = try Descriptor.opened(
                    "open", open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644))
                try FileWriter.writeAll(Array(file.content), to: descriptor)
            }
        } catch {
            // The welcome files are optional.
            configuration.log("the welcome could not be written: \(error)")
        }
    }

    private mutating func openFolder() async throws(ClubServerError) -> ServedFolder {
        try ServerFolders.make(
            configuration.stateFolder, purpose: "The folder for the club's state")
        if let cache = configuration.cacheFolder {
            _ = try? ServerFolders.make(cache, purpose: "The folder for thumbnails")
        }
        let folder: ServedFolder
        do throws(SystemError) {
            folder = try makeServedFolder()
        } catch {
            throw .folderNotUsable(
                "The club's folder \(configuration.folder) or that of its state, \(configuration.stateFolder), "
                    + "cannot be used: both must be yours to read and to write.", error)
        }
        do throws(SystemError) {
            try await folder.club.start()
        } catch {
            throw .folderNotUsable(
                "The club's folder \(configuration.folder) cannot be watched.", error)
        }
        let sessions = folder.sessions
        cleanup.add { await sessions.stop() }
        await sessions.start()
        return folder
    }

    private mutating func makeServedFolder() throws(SystemError) -> ServedFolder {
        let log = configuration.log
        let access = try FolderAccess(path: configuration.folder)
        cleanup.add {
            // Succeeds only if it is empty.
            _ = unlinkat(access.root.number, StagingFolder.name, AT_REMOVEDIR)
        }
        let loop = try EventLoop()
        cleanup.add { loop.stop() }
        let watcher = makeWatcher(loop)
        if let watcher { cleanup.add { watcher.stop() } }
        let name = ClubStateName.adopting(
            folder: configuration.folder, in: configuration.stateFolder)
        let journal = try Journal(folder: configuration.stateFolder, name: name.journal)
        let revisions = try KeptRevisions(
            stateFolder: configuration.stateFolder, name: name.revisions, access: access, log: log)
        try revisions.start()
        let club = try ClubFolder(
            access: access, journal: journal, revisions: revisions, watcher: watcher, log: log)
        try loop.start()
        return ServedFolder(
            club: club, sessions: UploadSessions(access: access), watcher: watcher, loop: loop)
    }

    private func makeWatcher(_ loop: EventLoop) -> FolderWatcher? {
        do throws(SystemError) {
            return try FolderWatcher(loop: loop)
        } catch {
            configuration.log(
                "changes made by others are seen late, since none can be watched: \(error)")
            return nil
        }
    }

    private mutating func openEntrances(
        token: String, loop: EventLoop
    ) throws(ClubServerError) -> [Entrance] {
        let tokenFile = configuration.tokenFile
        cleanup.add { _ = unlink(tokenFile) }
        // Before the first connection, so that every client can read it.
        try ServerToken.write(token, to: tokenFile)
        var entrances: [Entrance] = []
        for endpoint in [configuration.endpoint, configuration.ownEndpoint].compactMap({ $0 }) {
            entrances.append(try openEntrance(endpoint, loop))
        }
        if let lasting = configuration.lasting {
            cleanup.add { _ = unlink(lasting.tokenPath) }
            // It is optional.
            do throws(ClubServerError) {
                try ServerToken.write(token, to: lasting.tokenPath)
                entrances.append(
                    try openEntrance(
                        .unixSocket(path: lasting.socketPath, leasePath: lasting.leasePath), loop))
            } catch {
                configuration.log(
                    "other runtime folders will not find this server: \(error.message)")
            }
        }
        return entrances
    }

    private mutating func openEntrance(
        _ endpoint: ClubServer.Endpoint, _ loop: EventLoop
    ) throws(ClubServerError) -> Entrance {
        let entrance = try Entrance(endpoint, loop: loop)
        cleanup.add { entrance.close() }
        return entrance
    }

    private func makeService(
        _ folder: ServedFolder, token: String, limits: ConnectionLimits
    ) -> HTTPService {
        let api = ClubAPI(
            club: folder.club, sessions: folder.sessions,
            thumbnails: ThumbnailMaker(cache: ThumbnailCache(folder: configuration.cacheFolder)),
            account: .ofThisUser())
        var router = Router(token: token, log: configuration.log)
        api.addRoutes(to: &router)
        return HTTPService(
            loop: folder.loop, log: configuration.log, router: router, limits: limits)
    }
}

extension ClubServerError {
    fileprivate static func folderNotUsable(
        _ message: String, _ error: SystemError
    ) -> ClubServerError {
        if error.isOutOfDescriptors { return .tooManyOpenFiles(error) }
        return ClubServerError(.folderNotUsable, message, error)
    }
}
