package import ClubLibrary
internal import ClubStore
internal import ByteClubFiles
internal import FoundationEssentials
internal import Glibc

/// The process that performs a club's transfers: this program again, in its own session, so that it continues
/// when the app quits, loses its terminal or is killed. One per club, while there is work.
package struct CarrierProcess: Sendable {
    private let journal: TransferJournal
    private let arguments: [String]
    private let environment: [String: String]
    private let program: String

    /// - Parameter program: This program except in tests.
    package init(
        _ club: ClubSettings, registry: ClubRegistry, program: String = "/proc/self/exe",
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        journal = TransferJournal(folder: registry.transfersFolder(of: club))
        arguments = ["transfers", "run", "--club", club.name]
        self.environment = environment
        self.program = program
    }

    /// Starts the process for waiting transfers. If one is running, it takes them, and the new one exits at
    /// once.
    ///
    /// - Returns: Why it could not be started, as reported by the system; nil on success.
    @concurrent package func start() async -> String? {
        var process: pid_t = 0
        let failure = ChildProgram.startDetached(
            program, ["byteclub"] + arguments, environment: environment, process: &process)
        guard failure == 0 else { return String(cString: strerror(failure)) }
        ServerProcess.forget(process)
        return nil
    }

    /// Whether a carrier is running: whether its lock is held. A process identifier could belong to another
    /// program.
    @concurrent package func isRunning() async -> Bool {
        guard let lock = try? FileLock(Self.lockFile(of: journal)) else { return false }
        defer { lock.release() }
        return lock.attempt() == .busy
    }

    /// Performs transfers until none are left, unless another process does.
    ///
    /// Without a lock nothing is transferred: two carriers would upload a photo twice. The transfers then
    /// fail with that reason, so that they are not restarted repeatedly.
    package static func carry(
        _ journal: TransferJournal, means: TransferCarrier.Means
    ) async {
        await carry(journal, means: means) { $0.attempt() }
    }

    static func carry(
        _ journal: TransferJournal, means: TransferCarrier.Means,
        attempt: (FileLock) -> LockedFile.Attempt
    ) async {
        while !Task.isCancelled {
            let lock: FileLock
            do throws(AtomicFile.Failure) {
                lock = try FileLock(lockFile(of: journal))
            } catch {
                return fail(journal, .cannotBeLocked, error.reason)
            }
            var result = attempt(lock)
            // A check for a running carrier holds the lock briefly.
            for _ in 0..<5 where result == .busy {
                try? await Pause.sleep(for: .milliseconds(20))
                result = attempt(lock)
            }
            switch result {
            case .taken: break
            case .busy: return lock.release()
            case .impossible:
                lock.release()
                return fail(journal, .hasNoLocks)
            }
            journal.removeExpired(at: means.clock.date())
            await TransferCarrier(journal, means: means).run()
            lock.release()
            // Transfers added while the lock was still held were not taken by its holder.
            guard journal.items().contains(where: \.isWanted) else { return }
        }
    }

    /// Marks all waiting transfers as failed, with the reason.
    private static func fail(
        _ journal: TransferJournal, _ problem: TransferFailure.JournalProblem,
        _ reason: String? = nil
    ) {
        let failure = TransferFailure(problem, folder: journal.folder.path, reason: reason)
        for item in journal.items() where item.isWanted {
            var status = item.status
            status.state = .failed
            status.retryCount = item.order.retryCount
            status.note(failure, about: item.order)
            (status.nextAttempt, status.bytesPerSecond) = (nil, nil)
            status.updated = Date()
            try? journal.write(status, of: item.id)
        }
    }

    private static func lockFile(of journal: TransferJournal) -> URL {
        journal.folder.appending(path: "carrier.lock")
    }
}
