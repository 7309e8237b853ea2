import CCurl
import Dispatch
import FoundationEssentials
import Synchronization

/// Moves the bytes of every task of the process, on one thread, with one libcurl multi handle.
///
/// Three things wake it: a socket that can move, a time that has come, and a job that a task submits. In
/// each turn it lets libcurl act, then processes every transfer that something has happened to. With
/// nothing to do it sleeps.
actor Engine {
    static let shared = {
        let engine = Engine()
        engine.thread.start { engine.assumeIsolated { $0.run() } }
        return engine
    }()

    nonisolated let thread = EngineThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    let multi: MultiHandle
    let pending = PendingTransfers()
    let sockets = ConnectionSockets()
    var transfers: [ObjectIdentifier: Transfer] = [:]
    var slots = ConnectionSlots<ObjectIdentifier>()
    var sharing = ConnectionSharing<
        ObjectIdentifier, ConnectionSlots<ObjectIdentifier>.Place, ConnectionSockets.Ends
    >()
    /// The clock, read once per turn.
    private(set) var now = DispatchTime.now().uptimeNanoseconds

    private var spareHandles: [EasyHandle] = []
    /// Tasks that have ended well in this turn. Reported once everything else of it is done: a report wakes
    /// another thread, and the request that comes next on the connection goes first.
    var ended: [(task: URLSessionTask, result: TaskResult)] = []
    /// No transfer runs out of time before this.
    private var earliestDeadline: UInt64?

    private init() {
        multi = MultiHandle(wakeupDescriptor: thread.wakeupDescriptor)
    }

    // MARK: - Turns

    private func run() -> Never {
        var jobs: [EngineThread.Job] = []
        while true {
            thread.takeJobs(&jobs)
            for (index, job) in jobs.enumerated() {
                now = DispatchTime.now().uptimeNanoseconds
                job(self)
                // A thousand tasks may start at once: their sockets get a turn in between.
                if index % 64 == 63 { takeTurn(waiting: 0) }
            }
            jobs.removeAll(keepingCapacity: true)  // they hold their tasks
            processPending()
            takeTurn(waiting: thread.prepareToWait() == .idle ? millisecondsToWait : 0)
        }
    }

    /// Waits for sockets, and does what they and the clock ask for.
    ///
    /// What the callbacks note is processed before another job runs: a transfer whose request is on its way must
    /// not look to a job as if it still connected.
    private func takeTurn(waiting milliseconds: Int32) {
        multi.moveReadySockets(waiting: milliseconds)
        now = DispatchTime.now().uptimeNanoseconds
        if let earliestDeadline, earliestDeadline <= now { expireTransfers() }
        processPending()
    }

    /// How long nothing needs to be done unless something happens; -1: for ever.
    private var millisecondsToWait: Int32 {
        if transfers.isEmpty { earliestDeadline = nil }
        var wanted = multi.deadline
        if let earliestDeadline { wanted = min(wanted ?? earliestDeadline, earliestDeadline) }
        guard let wanted else { return -1 }
        guard wanted > now else { return 0 }
        return Int32(min((wanted - now + 999_999) / 1_000_000, 3_600_000))
    }

    private func processPending() {
        var rounds = 0
        repeat {
            if let deadline = multi.deadline, deadline <= now { multi.timeOut() }
            while let (easy, code) = multi.nextFinished() {
                guard let attempt = Attempt.of(easy) else { continue }
                attempt.result = code
                attempt.transfer?.setNeedsProcessing()
            }
            for transfer in pending.takeAll() { process(transfer) }
            rounds += 1
        } while !pending.transfers.isEmpty
            || (rounds < 16 && multi.deadline.map { $0 <= now } ?? false)
        reportEnded()
    }

    private func reportEnded() {
        guard !ended.isEmpty else { return }
        var awaited: [(task: URLSessionTask, result: TaskResult)] = []
        let areMany = ended.count > 3
        for (task, result) in ended {
            if areMany, task.receiver.isAwaited {
                awaited.append((task, result))
            } else {
                task.post(.completed(result))
            }
        }
        ended.removeAll(keepingCapacity: true)
        guard !awaited.isEmpty else { return }
        Self.wakers.async { @Sendable [awaited] in
            for (task, result) in awaited { task.post(.completed(result)) }
        }
    }

    /// Wakes those who await one of many tasks: a call into the kernel for each, which would
    /// keep the sockets waiting.
    private static let wakers = DispatchQueue(label: "CurlNetworking.wakers")

    // MARK: - Time

    /// Lets a transfer's timers run as its state and its pauses require, and wakes the engine in time for them.
    func updateTimers(of transfer: Transfer) {
        transfer.updateTimers(at: now)
        guard let deadline = transfer.deadline else { return }
        earliestDeadline = min(earliestDeadline ?? deadline, deadline)
    }

    /// A byte moves a deadline later, which is not reported: the engine then wakes early and finds out.
    private func expireTransfers() {
        for transfer in transfers.values {
            if let check = transfer.uploadProgress.nextCheck, check <= now {
                checkUpload(of: transfer)
            }
            if let date = transfer.attempt.body.pace.resumption, date <= now {
                sendMore(of: transfer)
            }
            if let date = transfer.attempt.received.pace.resumption, date <= now {
                transfer.attempt.received.pace.resume()
                applyPauses(to: transfer)
            }
            if let date = transfer.state.date {
                if date <= now { dateReached(for: transfer) }
                continue
            }
            if let deadline = transfer.timers.deadline, deadline <= now {
                fail(transfer, with: URLError(.timedOut, failingURL: transfer.request.url))
            }
        }
        earliestDeadline = transfers.values.lazy.compactMap(\.deadline).min()
    }

    // MARK: - Handles

    func takeHandle() -> EasyHandle? {
        spareHandles.popLast() ?? multi.makeEasyHandle()
    }

    func giveBack(_ easy: EasyHandle) {
        guard spareHandles.count < 16, !LibraryDefects.current.keepsFreedField else { return }
        easy.reset()
        spareHandles.append(easy)
    }
}

/// The transfers that something has happened to.
final class PendingTransfers {
    fileprivate var transfers: [Transfer] = []

    fileprivate func takeAll() -> [Transfer] {
        defer { transfers.removeAll(keepingCapacity: true) }
        for transfer in transfers { transfer.isPending = false }
        return transfers
    }
}

extension Transfer {
    /// Has the engine process the transfer before it waits again.
    func setNeedsProcessing() {
        guard !isPending else { return }
        isPending = true
        pending.transfers.append(self)
    }
}
