public import _Concurrency
import Dispatch

/// A queue for picture work, outside the main actor and outside the cooperative pool.
///
/// Decoding holds a processor for up to a second at a stretch, so it must not sit on the few threads
/// that everything asynchronous shares. Each queue does one thing at a time, which also bounds the
/// memory: one picture in flight per queue.
///
/// ```swift
/// let image = try await PictureQueue.previews.run { () throws(PictureError) in
///     try JPEGFile(at: url).decode(scaledToFit: size).image
/// }
/// ```
///
/// Work keeps its task: `Task.isCancelled` is seen inside, between strips of rows.
public final class PictureQueue: TaskExecutor {
    /// For what somebody is looking at: headers, thumbnails, cells.
    public static let previews = PictureQueue(label: "byteclub.pictures.previews")

    /// For what takes long: re-encoding a photo before its upload.
    public static let exports = PictureQueue(label: "byteclub.pictures.exports")

    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label, qos: .utility)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// Runs a piece of work on this queue and brings its result back to the caller's actor.
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
