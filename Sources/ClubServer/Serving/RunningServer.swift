import CByteClubMemory
import Glibc

/// A server with its folder, lock and sockets.
struct RunningServer: Sendable {
    let configuration: ClubServer.Configuration
    /// Of the runtime folder, and of the club's own.
    let locks: [ServerLock]
    let folder: ServedFolder
    let entrances: [Entrance]
    let service: HTTPService
    let registry: ConnectionRegistry
    let cleanup: Cleanup

    static func start(
        _ configuration: ClubServer.Configuration
    ) async throws(ClubServerError) -> RunningServer {
        var start = ServerStart(configuration)
        return try await start.run()
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
        let (club, loop) = (folder.club, folder.loop)
        let book = LeaseCounter()
        let outcome = await withTaskGroup(of: Result<Void, ClubServerError>.self) { group in
            group.addTask {
                await stopping.wait(); return .success(())
            }
            if let watcher = folder.watcher {
                group.addTask { await Self.follow(watcher, club) }
            }
            group.addTask {
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
                group.addTask {
                    await Self.lend(leases, book, loop, configuration.untilUnused ? stopping : nil)
                }
            }
            if configuration.untilUnused {
                group.addTask {
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
        await cleanup.run()
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
        await untilCancelled("The club can no longer be reached at \(listener.address).") {
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
        }
    }

    /// Counts leases. With a signal, sends it when the last one is released.
    private static func lend(
        _ listener: Listener, _ book: LeaseCounter, _ loop: EventLoop, _ stopping: StopSignal?
    ) async -> Result<Void, ClubServerError> {
        await untilCancelled("Leases can no longer be taken at \(listener.address).") {
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
        }
    }

    /// Accepts until the task is cancelled, or until an error, described by the message.
    private static func untilCancelled(
        _ message: @autoclosure () -> String, _ accept: () async throws -> Void
    ) async -> Result<Void, ClubServerError> {
        do {
            try await accept()
            return .success(())
        } catch is CancellationError {
            return .success(())
        } catch {
            return .failure(ClubServerError(.cannotListen, message(), underlying: "\(error)"))
        }
    }
}
