import CCurl
import Glibc
import Synchronization

/// The engine's thread and what others want of it.
///
/// A thread instead of a Dispatch queue: where a descriptor behind a source passes each event through
/// three threads and five system calls, here one `epoll_wait` waits for sockets, timers and jobs
/// together. Idle, it sleeps in that call, and a submitted job wakes it.
final class EngineThread: SerialExecutor {
    typealias Job = @Sendable (isolated Engine) -> Void

    /// Ends the thread's wait when it is signaled.
    let wakeupDescriptor: Int32
    private let inbox = Mutex(Inbox())
    private let identity = Atomic<pthread_t>(0)

    private struct Inbox {
        var jobs: [Job] = []
        /// Whether the thread sleeps, or is about to, and has to be woken.
        var isWaiting = false
    }

    init() {
        wakeupDescriptor = byteclub_bell_create()
        precondition(wakeupDescriptor >= 0, "no descriptor for the engine's wakeupDescriptor")
    }

    /// Lives as long as the process. Signals stay with the program's own threads.
    func start(_ body: @escaping @Sendable () -> Never) {
        let context = Unmanaged.passRetained(Entry(thread: self, body: body)).toOpaque()
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, enterThread, context)
        pthread_sigmask(SIG_SETMASK, &former, nil)
        precondition(code == 0, "no memory for the engine's thread")
        pthread_detach(thread)
    }

    // MARK: - Jobs

    /// Runs a job in the order of the calls; the engine then processes what has happened. Returns at once.
    func submit(_ job: @escaping Job) {
        let rings = inbox.withLock { inbox in
            inbox.jobs.append(job)
            defer { inbox.isWaiting = false }
            return inbox.isWaiting
        }
        if rings { byteclub_bell_ring(wakeupDescriptor) }
    }

    /// Takes all jobs, in the order of the calls, in exchange for an empty array. The thread is awake.
    func takeJobs(_ jobs: inout [Job]) {
        inbox.withLock { inbox in
            inbox.isWaiting = false
            swap(&inbox.jobs, &jobs)
        }
    }

    enum Inactivity {
        case idle
        case hasJobs
    }

    /// Finds out whether the thread may sleep; if so, the next job signals.
    func prepareToWait() -> Inactivity {
        inbox.withLock { inbox in
            inbox.isWaiting = inbox.jobs.isEmpty
            return inbox.isWaiting ? .idle : .hasJobs
        }
    }

    // MARK: - An actor's executor

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        submit { @Sendable [self] _ in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        precondition(identity.load(ordering: .relaxed) == pthread_self(), "not the engine's thread")
    }

    fileprivate func enter() {
        identity.store(pthread_self(), ordering: .relaxed)
        byteclub_name_thread("CurlNetworking")
    }

    fileprivate final class Entry: Sendable {
        let thread: EngineThread
        let body: @Sendable () -> Never

        init(thread: EngineThread, body: @escaping @Sendable () -> Never) {
            self.thread = thread
            self.body = body
        }
    }
}

private func enterThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let entry = Unmanaged<EngineThread.Entry>.fromOpaque(context).takeRetainedValue()
    entry.thread.enter()
    entry.body()
}
