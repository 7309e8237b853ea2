import CByteClubCurl
import Dispatch
import FoundationEssentials
import Synchronization

/// Transfers the bytes of all tasks of the process, on one thread, with one libcurl multi handle.
///
/// A ready socket, a timer or a submitted job wakes it. In each turn it calls libcurl, then processes every
/// marked transfer. When idle, it sleeps.
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
    /// The time, read once per turn.
    private(set) var now = DispatchTime.now().uptimeNanoseconds

    private var spareHandles: [EasyHandle] = []
    /// Tasks that completed successfully in this turn. They are reported at its end, because a report wakes
    /// another thread, and requests on the sockets have precedence.
    var ended: [(task: URLSessionTask, result: TaskResult)] = []
    /// No deadline is earlier than this; nil if there is none.
    private var earliestDeadline: UInt64?
    #if DEBUG
        /// Called before each wait, until they return true: tests wait in this way for what the engine does.
        var observers: [(isolated Engine) -> Bool] = []
    #endif

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
                // If many tasks start at once, sockets get a turn in between.
                if index % 64 == 63 { takeTurn(waiting: 0) }
            }
            jobs.removeAll(keepingCapacity: true)  // releases the tasks
            processPending()
            #if DEBUG
                observers.removeAll { $0(self) }
            #endif
            takeTurn(waiting: thread.prepareToWait() == .idle ? millisecondsToWait : 0)
        }
    }

    /// Waits for sockets, then handles sockets and timers.
    ///
    /// What callbacks have recorded is processed before the next job runs: a job must not find a transfer in
    /// state `connecting` whose request is already being sent.
    private func takeTurn(waiting milliseconds: Int32) {
        multi.moveReadySockets(waiting: milliseconds)
        now = DispatchTime.now().uptimeNanoseconds
        if let earliestDeadline, earliestDeadline <= now {
            // A program that was stopped finds its timers expired: what has arrived meanwhile comes first.
            multi.moveReadySockets(waiting: 0)
            processPending()
            expireTransfers()
        }
        processPending()
    }

    /// How long to wait without an event; -1 means indefinitely.
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

    /// Resumes the continuations of awaited tasks if there are many: each costs a system call, which would
    /// delay the sockets.
    private static let wakers = DispatchQueue(label: "CurlNetworking.wakers")

    // MARK: - Time

    /// Updates a transfer's timers for its state and pauses, and the engine's next deadline.
    func updateTimers(of transfer: Transfer) {
        transfer.updateTimers(at: now)
        guard let deadline = transfer.deadline else { return }
        earliestDeadline = min(earliestDeadline ?? deadline, deadline)
    }

    /// Handles expired timers. Received bytes only postpone a deadline, so the engine may wake too early
    /// here; that is cheaper than updating the deadline for each byte.
    private func expireTransfers() {
        for transfer in transfers.values {
            if let check = transfer.uploadProgress.nextCheck, check <= now {
                checkUpload(of: transfer)
            }
            if transfer.state.isExchanging { resumeLimited(transfer) }
            if let date = transfer.state.date {
                if date <= now { dateReached(for: transfer) }
                continue
            }
            expireTimers(of: transfer)
        }
        earliestDeadline = transfers.values.lazy.compactMap(\.deadline).min()
    }

    /// Fails a transfer that was too slow. One that is slow with a body that it discards continues without the rest.
    private func expireTimers(of transfer: Transfer) {
        let timers = transfer.timers
        let isOver = timers.resource.deadline.map { $0 <= now } ?? false
        if !isOver, transfer.attempt.isBodyDiscarded {
            let deadline = min(transfer.discardDeadline ?? .max, timers.request.deadline ?? .max)
            if deadline <= now { endDiscardedBody(of: transfer) }
        } else if let deadline = timers.deadline, deadline <= now {
            fail(transfer, with: URLError(.timedOut, failingURL: transfer.request.url))
        }
    }

    /// Continues what its rates allow now. Only while it exchanges: in a long turn, the time may come before what the
    /// first callback has recorded was processed, and nothing would be resumed. The next turn follows at once.
    private func resumeLimited(_ transfer: Transfer) {
        if let date = transfer.attempt.body.rateLimiter.resumption, date <= now {
            sendMore(of: transfer)
        }
        if let date = transfer.attempt.received.rateLimiter.resumption, date <= now {
            transfer.attempt.received.rateLimiter.resume()
            applyPauses(to: transfer)
        }
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

/// The transfers that have to be processed.
final class PendingTransfers {
    fileprivate var transfers: [Transfer] = []

    fileprivate func takeAll() -> [Transfer] {
        defer { transfers.removeAll(keepingCapacity: true) }
        for transfer in transfers { transfer.isPending = false }
        return transfers
    }
}

extension Transfer {
    /// Makes the engine process the transfer before it waits again.
    func setNeedsProcessing() {
        guard !isPending else { return }
        isPending = true
        pending.transfers.append(self)
    }
}
