import CCurl
import Dispatch
import FoundationEssentials
import Synchronization

/// Moves the bytes of every task of the process, on one thread, with one libcurl multi handle.
///
/// Three things wake it: a socket that can move, a time that has come, and what tasks submit. Each turn
/// it lets libcurl act, then settles: it attends to every transfer that something has happened to. With
/// nothing to do it sleeps.
actor Engine {
    static let shared = {
        let engine = Engine()
        engine.thread.start { engine.assumeIsolated { $0.run() } }
        return engine
    }()

    private nonisolated let thread = EngineThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    let multi: MultiHandle
    let marks = Transfer.Marks()
    let sockets = ConnectionSockets()
    var transfers: [ObjectIdentifier: Transfer] = [:]
    var slots = ConnectionSlots<ObjectIdentifier>()
    /// The clock, read once per turn.
    private(set) var now = DispatchTime.now().uptimeNanoseconds

    private var spareHandles: [EasyHandle] = []
    /// Tasks that have ended well in this turn.
    private var ended: [(task: URLSessionTask, result: TaskResult)] = []
    /// No transfer runs out of time before this.
    private var earliestDeadline: UInt64?

    private init() {
        multi = MultiHandle(wakeupDescriptor: thread.wakeupDescriptor)
    }

    /// Runs work on the engine in the order of the calls, then settles. Returns at once.
    nonisolated func submit(_ work: @escaping @Sendable (isolated Engine) -> Void) {
        thread.submit(work)
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
            takeTurn(waiting: thread.prepareToWait() ? millisecondsToWait : 0)
            thread.didWake()
        }
    }

    /// Waits for sockets, and does what they and the clock ask for.
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
                guard let transfer = transfer(of: easy) else { continue }
                transfer.result = code
                transfer.mark()
            }
            for transfer in marks.takeAll() { process(to: transfer) }
            rounds += 1
        } while !marks.isEmpty || (rounds < 16 && multi.deadline.map { $0 <= now } ?? false)
        reportEnded()
    }

    /// Tells how a task has ended once everything else of this turn is done: whoever is told wakes
    /// another thread, and the request that comes next on the connection goes first.
    func reportAfterTurn(_ task: URLSessionTask, _ result: TaskResult) {
        ended.append((task, result))
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

    /// Where those are woken who await one of many tasks: a call into the kernel for each, which would
    /// keep the sockets waiting.
    private static let wakers = DispatchQueue(label: "CurlNetworking.wakers")

    private func transfer(of easy: UnsafeMutableRawPointer) -> Transfer? {
        var context: UnsafeMutablePointer<CChar>?
        byteclub_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return context.map { Transfer.from($0) }
    }

    // MARK: - Time

    /// To be called when a transfer's timers were changed.
    func deadlineChanged(of transfer: Transfer) {
        guard let deadline = transfer.deadline else { return }
        earliestDeadline = min(earliestDeadline ?? deadline, deadline)
    }

    /// A byte moves a deadline later, which nobody is told: the engine then wakes early and finds out.
    private func expireTransfers() {
        for transfer in transfers.values {
            if let rest = transfer.retryDate {
                if rest <= now { wake(transfer) }
                continue
            }
            if let deadline = transfer.deadline, deadline <= now {
                fail(transfer, with: URLError(.timedOut, failingURL: transfer.request.url))
            }
        }
        earliestDeadline = transfers.values.lazy.compactMap(\.deadline).min()
    }

    // MARK: - Handles

    func takeHandle() -> EasyHandle? {
        spareHandles.popLast() ?? EasyHandle()
    }

    func giveBack(_ easy: EasyHandle) {
        guard spareHandles.count < 16 else { return }
        easy.reset()
        spareHandles.append(easy)
    }
}
