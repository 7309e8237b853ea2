public import _Concurrency
import Dispatch

/// A queue for picture work, off the main actor and outside the cooperative pool.
///
/// Rendering a screen of cells occupies a processor for tens of milliseconds, decoding in this process for up
/// to a second, so neither must block the few threads of the cooperative pool. A queue runs one task at a
/// time. Untrusted pictures are decoded by `PictureWorkers`.
///
/// ```swift
/// let cells = await PictureQueue.previews.run { renderer.render(image, fitting: box) }
/// ```
///
/// Work keeps its task: `Task.isCancelled` is seen inside, between strips of rows.
public final class PictureQueue: TaskExecutor {
    /// For pictures on the screen.
    public static let previews = PictureQueue(label: "byteclub.pictures.previews")

    private let queue: DispatchQueue

    public init(label: String) {
        queue = DispatchQueue(label: label, qos: .utility)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// Runs a closure on this queue and returns its result to the caller's actor.
    public nonisolated func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(self) { () async throws(Failure) -> Result in
            try await perform(work)
        }
    }
}

@concurrent
private func perform<Result: Sendable, Failure: Error>(
    _ work: @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
    try work()
}
