import CCurl
import Dispatch
import FoundationEssentials
import Synchronization

/// Moves the bytes of every task of the process, on one serial queue, with one libcurl multi handle.
///
/// Three things wake it: a socket that can move (through one descriptor), its one timer, and what
/// tasks submit. Each time it lets libcurl act, then settles: it attends to every load that something
/// has happened to, and arms the timer for what comes next. With nothing to do it sleeps.
actor Engine {
    static let shared = Engine()

    private nonisolated let executor = QueueExecutor(label: "CurlNetworking.engine")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let multi = MultiHandle()
    let marks = Load.Marks()
    var loads: [ObjectIdentifier: Load] = [:]
    var slots = ConnectionSlots<ObjectIdentifier>()
    /// The clock, read once per turn.
    private(set) var now = DispatchTime.now().uptimeNanoseconds

    private var spareHandles: [EasyHandle] = []
    private let timer: any DispatchSourceTimer
    private let sockets: any DispatchSourceRead
    private var armedDeadline: UInt64?
    /// No load runs out of time before this.
    private var earliestDeadline: UInt64?

    private init() {
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        let sockets = DispatchSource.makeReadSource(
            fileDescriptor: multi.epollDescriptor, queue: executor.queue)
        self.timer = timer
        self.sockets = sockets
        timer.setEventHandler { @Sendable [self] in assumeIsolated { $0.timerFired() } }
        sockets.setEventHandler { @Sendable [self] in assumeIsolated { $0.socketsReady() } }
        timer.schedule(deadline: .distantFuture)
        timer.activate()
        sockets.activate()
    }

    /// Runs work on the engine in the order of the calls, then settles.
    nonisolated func submit(_ work: @escaping @Sendable (isolated Engine) -> Void) {
        executor.queue.async { @Sendable [self] in
            assumeIsolated { engine in
                engine.now = DispatchTime.now().uptimeNanoseconds
                work(engine)
                engine.settle()
            }
        }
    }

    // MARK: - Turns

    private func socketsReady() {
        // Further rounds save a trip through Dispatch each; few, so that submitted work gets its turn.
        for _ in 0..<8 {
            now = DispatchTime.now().uptimeNanoseconds
            guard multi.moveReadySockets() > 0 else { break }
            settle()
        }
    }

    private func timerFired() {
        armedDeadline = nil
        now = DispatchTime.now().uptimeNanoseconds
        if let earliestDeadline, earliestDeadline <= now { expireLoads() }
        settle()
    }

    private func settle() {
        var rounds = 0
        repeat {
            if let deadline = multi.deadline, deadline <= now { multi.timeOut() }
            while let (easy, code) = multi.nextFinished() {
                guard let load = load(of: easy) else { continue }
                load.verdict = code
                load.mark()
            }
            for load in marks.takeAll() { attend(to: load) }
            rounds += 1
        } while !marks.isEmpty || (rounds < 16 && multi.deadline.map { $0 <= now } ?? false)
        armTimer()
    }

    private func load(of easy: UnsafeMutableRawPointer) -> Load? {
        var context: UnsafeMutablePointer<CChar>?
        byteclub_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return context.map { Load.from($0) }
    }

    // MARK: - Time

    /// To be called when a load's timers were changed.
    func deadlineChanged(of load: Load) {
        guard let deadline = load.deadline else { return }
        earliestDeadline = min(earliestDeadline ?? deadline, deadline)
    }

    /// A byte moves a deadline later, which nobody is told: the timer then fires early and finds out.
    private func expireLoads() {
        for load in loads.values {
            if let deadline = load.deadline, deadline <= now {
                end(load, with: URLError(.timedOut, failingURL: load.request.url))
            }
        }
        earliestDeadline = loads.values.lazy.compactMap(\.deadline).min()
    }

    private func armTimer() {
        if loads.isEmpty { earliestDeadline = nil }
        var wanted = multi.deadline
        if let earliestDeadline { wanted = min(wanted ?? earliestDeadline, earliestDeadline) }
        guard let wanted else {
            if armedDeadline != nil { timer.schedule(deadline: .distantFuture) }
            armedDeadline = nil
            return
        }
        // A timer armed too early costs one turn; arming it anew each time costs one every time.
        if let armedDeadline, armedDeadline <= wanted { return }
        armedDeadline = wanted
        timer.schedule(
            deadline: DispatchTime(uptimeNanoseconds: wanted), leeway: .microseconds(500))
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
