package import ClubLibrary
internal import Files
internal import FoundationEssentials
internal import Glibc

/// The process that carries out a club's transfers: this program once more, in a session of its own, so that
/// it goes on when the app quits, loses its terminal or is killed. One for each club, while there is something
/// to do.
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
        // The test descriptor is for the app only.
        self.environment = environment.filter { $0.key != "BYTECLUB_TEST_FD" }
        self.program = program
    }

    /// Has what waits carried out. One that runs already takes it on; the second one leaves at once.
    ///
    /// - Returns: Why it could not be started, as the system says it; nil when it was.
    @concurrent package func start() async -> String? {
        var process: pid_t = 0
        let failure = DetachedProgram.spawn(
            program, ["byteclub"] + arguments, environment: environment, process: &process)
        guard failure == 0 else { return String(cString: strerror(failure)) }
        ServerProcess.forget(process)
        return nil
    }

    /// Whether a carrier is at work, as far as can be told from outside.
    @concurrent package func isRunning() async -> Bool {
        guard let data = try? AtomicFile(url: Self.processFile(of: journal)).read(),
            let process = pid_t(String(decoding: data, as: UTF8.self)), process > 0
        else { return false }
        return kill(process, 0) == 0 || errno == EPERM
    }

    /// Is the carrier, unless another process is: returns when nothing is left to do.
    package static func carry(
        _ journal: TransferJournal, means: TransferCarrier.Means
    ) async {
        while !Task.isCancelled {
            guard let lock = try? FileLock(journal.folder.appending(path: "carrier.lock")) else {
                return
            }
            guard case .taken = lock.attempt() else { return lock.release() }
            let file = AtomicFile(url: processFile(of: journal))
            try? file.write(Data("\(getpid())".utf8), isSynced: false)
            await TransferCarrier(journal, means: means).run()
            try? file.remove()
            lock.release()
            // What was ordered while the lock was still held, nobody else has taken on.
            guard journal.items().contains(where: \.isWanted) else { return }
        }
    }

    private static func processFile(of journal: TransferJournal) -> URL {
        journal.folder.appending(path: "carrier.pid")
    }
}
