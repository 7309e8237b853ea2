import CByteClubMemory
import DropboxAPI
import FoundationEssentials
import Glibc

/// A server with its folder, lock and sockets.
struct RunningServer: Sendable {
    private let configuration: ClubServer.Configuration
    /// Of the runtime folder, and of the club's own, which programs with another runtime folder see.
    private let locks: [ServerLock]
    private let club: ClubFolder
    private let sessions: UploadSessions
    private let watcher: FolderWatcher?
    private let loop: EventLoop
    private let entrances: [Entrance]
    private let service: HTTPService
    private let registry: ConnectionRegistry

    // MARK: - Starting

    static func start(
        _ configuration: ClubServer.Configuration
    ) async throws(ClubServerError) -> RunningServer {
        // Writing to a disconnected client must not kill the process.
        signal(SIGPIPE, SIG_IGN)
        let descriptorLimit = try DescriptorLimit.raise()
        // One that was asked for by a person waits until the server of the last command has ended.
        let lock = try await ServerLock.take(
            path: configuration.lockFile, clubFolder: configuration.folder,
            patience: configuration.untilUnused ? .zero : LeaseCounter.grace * 2)
        let log = configuration.log
        try makeClub(configuration)
        let folderLock = try await ServerLock.take(
            folder: configuration.folder, patience: LeaseCounter.grace * 2)
        try ServerFolders.make(
            configuration.stateFolder, purpose: "The folder for the club's state")
        if let cache = configuration.cacheFolder {
            _ = try? ServerFolders.make(cache, purpose: "The folder for thumbnails")
        }

        let access: FolderAccess
        var watcher: FolderWatcher?
        let loop: EventLoop
        let club: ClubFolder
        do throws(SystemError) {
            access = try FolderAccess(path: configuration.folder)
            loop = try EventLoop()
            do throws(SystemError) {
                watcher = try FolderWatcher(loop: loop)
            } catch {
                log("changes made by others are seen late, since none can be watched: \(error)")
            }
            let name = adoptedStateName(configuration)
            let journal = try Journal(folder: configuration.stateFolder, name: name + ".journal")
            let revisions = try KeptRevisions(
                stateFolder: configuration.stateFolder, name: name + ".revisions", access: access,
                log: log)
            try revisions.start()
            club = try ClubFolder(
                access: access, journal: journal, revisions: revisions, watcher: watcher, log: log)
            try loop.start()
        } catch {
            if error.isOutOfDescriptors { throw .tooManyOpenFiles(error) }
            throw ClubServerError(
                .folderNotUsable,
                "The club's folder \(configuration.folder) or that of its state, \(configuration.stateFolder), "
                    + "cannot be used: both must be yours to read and to write.", error)
        }
        do throws(SystemError) {
            try await club.start()
        } catch {
            loop.stop()
            if error.isOutOfDescriptors { throw .tooManyOpenFiles(error) }
            throw ClubServerError(
                .folderNotUsable, "The club's folder \(configuration.folder) cannot be watched.",
                error)
        }
        let sessions = UploadSessions(access: access)
        await sessions.start()

        let token = ServerToken.make()
        var entrances: [Entrance] = []
        do throws(ClubServerError) {
            // Before the first connection, so that every client can read it.
            try ServerToken.write(token, to: configuration.tokenFile)
            entrances.append(try Entrance(configuration.endpoint, loop: loop))
            if let own = configuration.ownEndpoint {
                entrances.append(try Entrance(own, loop: loop))
            }
            if let lasting = lastingEntrance(configuration, token: token, loop: loop) {
                entrances.append(lasting)
            }
        } catch {
            unlink(configuration.tokenFile)
            for entrance in entrances { entrance.close() }
            watcher?.stop()
            loop.stop()
            throw error
        }
        let api = ClubAPI(
            club: club, sessions: sessions,
            thumbnails: ThumbnailMaker(cache: ThumbnailCache(folder: configuration.cacheFolder)),
            account: .ofThisUser())
        var router = Router(token: token, log: log)
        api.addRoutes(to: &router)
        let limits = configuration.limits ?? ConnectionLimits(descriptorLimit: descriptorLimit)
        let service = HTTPService(loop: loop, log: log, router: router, limits: limits)
        return RunningServer(
            configuration: configuration, locks: [lock, folderLock], club: club, sessions: sessions,
            watcher: watcher, loop: loop, entrances: entrances, service: service,
            registry: ConnectionRegistry(limits: limits, loop: loop))
    }

    /// Creates the club's folder with its welcome files if it is missing.
    private static func makeClub(
        _ configuration: ClubServer.Configuration
    ) throws(ClubServerError) {
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

    /// The entrance in the state folder; optional.
    private static func lastingEntrance(
        _ configuration: ClubServer.Configuration, token: String, loop: EventLoop
    ) -> Entrance? {
        guard let lasting = configuration.lasting else { return nil }
        do throws(ClubServerError) {
            try ServerToken.write(token, to: lasting.tokenPath)
            return try Entrance(
                .unixSocket(path: lasting.socketPath, leasePath: lasting.leasePath), loop: loop)
        } catch {
            configuration.log("other runtime folders will not find this server: \(error.message)")
            return nil
        }
    }

    /// The name of the club's files in the state folder, which clubs share. By the real path: one club may be
    /// served by two. Files of earlier versions have the path as it was given.
    private static func adoptedStateName(_ configuration: ClubServer.Configuration) -> String {
        let name = stateName(of: RuntimePaths.realPath(of: configuration.folder))
        let typed = stateName(of: configuration.folder)
        guard typed != name else { return name }
        for suffix in [".journal", ".revisions", ".revisions.log"] {
            let new = "\(configuration.stateFolder)/\(name)\(suffix)"
            guard access(new, F_OK) != 0 else { continue }
            rename("\(configuration.stateFolder)/\(typed)\(suffix)", new)
        }
        return name
    }

    private static func stateName(of folder: String) -> String {
        let digest = sha256(of: Array(folder.utf8)).prefix(4)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "club-\(digest)"
    }

    // MARK: - Running

    /// Serves until stopped, then removes everything but the club.
    func run(
        until stopping: StopSignal, whenReady: @Sendable (ClubServer.Address) -> Void
    ) async -> Result<Void, ClubServerError> {
        whenReady(address)
        // What only the start needs of the program need not stay in memory.
        _ = byteclub_return_code_pages()
        configuration.log("serving \(configuration.folder) at \(address)")
        let book = LeaseCounter()
        let outcome = await withTaskGroup(of: Result<Void, ClubServerError>.self) { group in
            group.addTask {
                await stopping.wait(); return .success(())
            }
            if let watcher {
                group.addTask { [club] in await Self.follow(watcher, club) }
            }
            group.addTask { [club] in
                await club.departure.wait()
                return Task.isCancelled ? .success(()) : .failure(Self.folderGone(club))
            }
            for entrance in entrances {
                group.addTask { [service, registry] in
                    var service = service
                    service.router.hosts = entrance.hosts
                    return await Self.serve(entrance.listener, service, registry)
                }
                guard let leases = entrance.leases else { continue }
                group.addTask { [loop] in
                    await Self.lend(leases, book, loop, configuration.untilUnused ? stopping : nil)
                }
            }
            if configuration.untilUnused {
                group.addTask { [loop] in
                    try? await loop.sleep(for: LeaseCounter.firstGrace)
                    if !Task.isCancelled, book.isUnused(since: 0) { stopping.send() }
                    await stopping.wait()
                    return .success(())
                }
            }
            let outcome = await group.next() ?? .success(())
            // The listeners close before any waiting: new clients are rejected at once, and may find
            // the next server.
            for entrance in entrances { entrance.listener.stopAccepting() }
            await registry.drain()
            group.cancelAll()
            configuration.didCancelRequests((try? outcome.get()) != nil)
            return outcome
        }
        await stop()
        return outcome
    }

    private var address: ClubServer.Address { entrances[0].listener.address }

    private func stop() async {
        for entrance in entrances { entrance.close() }
        unlink(configuration.tokenFile)
        if let lasting = configuration.lasting { unlink(lasting.tokenPath) }
        watcher?.stop()
        loop.stop()
        await sessions.stop()
        // Succeeds only if it is empty.
        unlinkat(club.access.root.number, StagingFolder.name, AT_REMOVEDIR)
        configuration.log("stopped serving \(configuration.folder)")
    }

    private static func follow(
        _ watcher: FolderWatcher, _ club: ClubFolder
    ) async -> Result<Void, ClubServerError> {
        for await _ in watcher.batches {
            guard await club.applyEvents() == .there else { return .failure(folderGone(club)) }
        }
        return .success(())
    }

    private static func folderGone(_ club: ClubFolder) -> ClubServerError {
        ClubServerError(
            .folderGone,
            "The club's folder \(club.access.path) was removed, or another one is in its place.")
    }

    private static func serve(
        _ listener: Listener, _ service: HTTPService, _ registry: ConnectionRegistry
    ) async -> Result<Void, ClubServerError> {
        do {
            try await withThrowingDiscardingTaskGroup { group in
                while let client = try await listener.accept(waitForRoom: registry.waitForRoom) {
                    let activity = registry.admit(client)
                    // Connections take longer to close than to be notified.
                    while registry.count > registry.limits.total, !Task.isCancelled {
                        await registry.waitForRoom()
                    }
                    group.addTask {
                        await service.serve(descriptor: client, activity: activity)
                        activity.forgetDescriptor()
                        close(client)
                        registry.remove(activity)
                    }
                }
            }
            return .success(())
        } catch is CancellationError {
            return .success(())
        } catch {
            return .failure(
                ClubServerError(
                    .cannotListen, "The club can no longer be reached at \(listener.address).",
                    underlying: "\(error)"))
        }
    }

    /// Counts leases. With a signal, sends it when the last one is released.
    private static func lend(
        _ listener: Listener, _ book: LeaseCounter, _ loop: EventLoop, _ stopping: StopSignal?
    ) async -> Result<Void, ClubServerError> {
        do {
            try await withThrowingDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    let client = try await listener.accept {
                        try await loop.sleep(for: .milliseconds(250))
                    }
                    guard let client else { return }
                    let holder = Descriptor(client)
                    book.take()
                    group.addTask {
                        try? await Peer(descriptor: holder.number, loop: loop).drainUntilGone()
                        guard let last = book.giveBack(), let stopping else { return }
                        try? await loop.sleep(for: LeaseCounter.grace)
                        if book.isUnused(since: last) { stopping.send() }
                    }
                }
            }
            return .success(())
        } catch is CancellationError {
            return .success(())
        } catch {
            return .failure(
                ClubServerError(
                    .cannotListen, "Leases can no longer be taken at \(listener.address).",
                    underlying: "\(error)"))
        }
    }
}
