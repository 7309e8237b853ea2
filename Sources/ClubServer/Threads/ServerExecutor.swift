import Glibc
import Synchronization

/// Threads for tasks that may block on the disk.
///
/// Writing and syncing files must not block the few threads of the cooperative pool, which
/// everything else in a process shares. Threads are created on demand, and sleep without wake-ups
/// when idle.
final class ServerExecutor: TaskExecutor {
    private let limit: Int
    private let state = Mutex(State())
    /// Counts waiting jobs. A semaphore is thread-safe by design.
    nonisolated(unsafe) private let jobs: UnsafeMutablePointer<sem_t>

    private struct State {
        var queue: [UnownedJob] = []
        var head = 0
        var threadCount = 0
        var idleCount = 0
        var isStopped = false

        mutating func popFirst() -> UnownedJob? {
            guard head < queue.count else { return nil }
            defer {
                head += 1
                if head == queue.count {
                    queue.removeAll(keepingCapacity: true)
                    head = 0
                }
            }
            return queue[head]
        }
    }

    init(limit: Int = 16) {
        self.limit = limit
        jobs = .allocate(capacity: 1)
        sem_init(jobs, 0, 0)
    }

    deinit {
        sem_destroy(jobs)
        jobs.deallocate()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.queue.append(job)
            let waiting = state.queue.count - state.head
            guard waiting > state.idleCount, state.threadCount < limit else { return false }
            state.threadCount += 1
            return true
        }
        sem_post(jobs)
        if needsThread, ServerThread.start("club", { self.work() }) == .noThreadLeft {
            // Existing threads will run it; without any, it runs here.
            let mustRun = state.withLock { state in
                state.threadCount -= 1
                return state.threadCount == 0
            }
            if mustRun { _ = runNext() }
        }
    }

    /// Lets the threads end when no jobs are left.
    func stop() {
        let count = state.withLock { state in
            state.isStopped = true
            return state.threadCount
        }
        for _ in 0..<count { sem_post(jobs) }
    }

    private func work() {
        while true {
            state.withLock { $0.idleCount += 1 }
            while sem_wait(jobs) != 0 {}
            state.withLock { $0.idleCount -= 1 }
            if runNext() == .noJob {
                let isOver = state.withLock { state in
                    guard state.isStopped, state.queue.count == state.head else { return false }
                    state.threadCount -= 1
                    return true
                }
                if isOver { return }
            }
        }
    }

    private enum RunResult {
        case ran
        case noJob
    }

    private func runNext() -> RunResult {
        guard let job = state.withLock({ $0.popFirst() }) else { return .noJob }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return .ran
    }
}
