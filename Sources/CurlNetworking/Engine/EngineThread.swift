import CByteClubCurl
import CurlNetworkingPlatform
import Synchronization

/// The engine's thread and its queue of jobs.
///
/// A thread instead of a Dispatch queue: an event of a Dispatch source passes through three threads and five
/// system calls, while one `epoll_wait` here waits for sockets, timers and jobs together.
final class EngineThread: SerialExecutor {
    typealias Job = @Sendable (isolated Engine) -> Void

    /// Ends the thread's wait when signaled.
    let wakeupDescriptor: Int32
    private let inbox = Mutex(Inbox())
    private let identity = Atomic<pthread_t>(0)

    private struct Inbox {
        var jobs: [Job] = []
        /// Whether the thread waits, or is about to, and has to be woken.
        var isWaiting = false
    }

    init() {
        wakeupDescriptor = byteclub_wakeup_create()
        precondition(wakeupDescriptor >= 0, "no descriptor for the engine's wakeupDescriptor")
    }

    /// Starts the thread, which runs as long as the process. It blocks all signals, so that the program's own
    /// threads receive them, except for those of a fault: a program's crash handler runs on the thread at fault.
    func start(_ body: @escaping @Sendable () -> Never) {
        let context = Unmanaged.passRetained(Entry(thread: self, body: body)).toOpaque()
        var all = sigset_t()
        var former = sigset_t()
        sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] {
            sigdelset(&all, fault)
        }
        pthread_sigmask(SIG_SETMASK, &all, &former)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, enterThread, context)
        pthread_sigmask(SIG_SETMASK, &former, nil)
        precondition(code == 0, "no memory for the engine's thread")
        pthread_detach(thread)
    }

    // MARK: - Jobs

    /// Adds a job. Jobs run in the order of submission; the engine then processes marked transfers. Returns
    /// at once.
    func submit(_ job: @escaping Job) {
        let signals = inbox.withLock { inbox in
            inbox.jobs.append(job)
            defer { inbox.isWaiting = false }
            return inbox.isWaiting
        }
        if signals { byteclub_wakeup_signal(wakeupDescriptor) }
    }

    /// Takes all jobs in order, in exchange for an empty array.
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

    /// Checks whether the thread may wait. If so, the next job signals the descriptor.
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
