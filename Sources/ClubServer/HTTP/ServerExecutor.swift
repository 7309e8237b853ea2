import Dispatch

/// Threads for tasks that may block on the disk.
///
/// Writing and syncing files must not sit on the few threads of the cooperative pool, which
/// everything else in the process shares.
final class ServerExecutor: TaskExecutor {
    private let queue = DispatchQueue(
        label: "byteclub.club.server", qos: .utility, attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}
