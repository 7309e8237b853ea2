import CByteClubPictureWorker
import Dispatch
import Synchronization

/// Decodes pictures in separate processes, so that a picture that attacks a decoder or keeps it busy affects
/// only itself.
///
/// Each process is this program again, without any permissions: no files, no sockets, no other programs
/// (`PictureProtections`). It receives the picture as an open descriptor, and limits for memory, processor
/// time and wall-clock time. It is kept for the next picture, and replaced after an error and after a number
/// of pictures. There is no fallback to decoding in this process: if no process can be started, that is an
/// error. To decode in this process, use `PictureFile` and `PhotoReencoder`.
///
/// Fast pictures do not wait for slow ones, and neither of them for a photo being re-encoded. Any number can
/// be requested from anywhere; cancelling the task kills the process at once.
public final class PictureWorkers: Sendable {
    /// Shared by all parts of a program.
    public static let shared = PictureWorkers()

    /// Changed only by tests.
    package struct Configuration: Sendable {
        package var picturesPerProcess = 64
        package var idleSeconds = 30
        /// Replaces the time of the budget.
        package var seconds: Double?
        package var processorSeconds: Double?
        /// False simulates a system without the libraries.
        package var loadsLibraries = true

        package init() {}

        var idleTime: DispatchTimeInterval { .seconds(idleSeconds) }

        func adjust(_ budget: PictureBudget) -> PictureBudget {
            var budget = budget
            budget.seconds = seconds ?? budget.seconds
            budget.processorSeconds = processorSeconds ?? budget.processorSeconds
            return budget
        }
    }

    let configuration: Configuration
    private let idle = Mutex<[PictureWorker]>([])
    private let working = Atomic(0)
    private let quick = AsyncSemaphore(value: 2)
    private let slow = AsyncSemaphore(value: 1)
    private let exports = AsyncSemaphore(value: 1)

    package init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    // MARK: - For workers

    func add(_ worker: PictureWorker) { idle.withLock { $0.append(worker) } }

    enum Removal { case removed, wasNotIdle }

    /// Removes a worker that wants to end, unless it was just assigned a picture.
    @discardableResult func remove(_ worker: PictureWorker) -> Removal {
        idle.withLock { idle in
            guard let index = idle.firstIndex(where: { $0 === worker }) else { return .wasNotIdle }
            idle.remove(at: index)
            return .removed
        }
    }

    /// Whether a picture is being decoded.
    package var hasWork: Bool { working.load(ordering: .relaxed) > 0 }

    /// Ends the idle processes.
    package func endIdle() {
        for worker in idle.withLock({ workers in
            defer { workers = [] }
            return workers
        }) { worker.stop() }
    }

    private func worker(
        _ kind: byteclub_picture_kind, to operation: String
    ) throws(PictureError) -> PictureWorker {
        let worker = idle.withLock { idle in
            idle.lastIndex { $0.kind == kind }.map { idle.remove(at: $0) }
        }
        if let worker { return worker }
        return try PictureWorker(kind, self, to: operation)
    }

    // MARK: - A picture's way

    /// The destination of a result.
    enum Destination {
        /// Shared memory, from which it is copied at once.
        case strip
        /// An open file owned by the caller.
        case file(Int32)
    }

    /// The result, with the bytes written to the strip.
    struct Outcome: Sendable {
        let answer: PictureJob.Answer
        let bytes: [UInt8]

        var size: PixelSize {
            PixelSize(width: Int(answer.reply.width), height: Int(answer.reply.height))
        }

        var fullSize: PixelSize {
            PixelSize(width: Int(answer.reply.full_width), height: Int(answer.reply.full_height))
        }
    }

    /// Passes a picture to a worker and waits for the result.
    @concurrent func perform(
        _ task: PictureTask, on source: PictureSource, into destination: Destination,
        to operation: String, progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(PictureError) -> Outcome {
        var files = OpenFiles()
        defer { files.close() }
        let input = try files.open(source, to: operation)
        let facts = try PictureFacts(.descriptor(input), to: operation)
        let semaphore =
            switch task {
            case .reencoding: exports
            default: facts.takesLong ? slow : quick
            }
        try await semaphore.wait(to: operation)
        defer { semaphore.signal() }

        var stripByteCount = 0
        switch destination {
        case .strip:
            stripByteCount = Self.stripByteCount(of: task.size(of: facts.size))
            try files.openStrip(stripByteCount, to: operation)
        case .file(let descriptor): files.lend(descriptor)
        }
        for byteCount in facts.scratchByteCounts(for: task) {
            try files.openScratch(byteCount, to: operation)
        }
        let answer = try await run(
            task.request(stripByteCount: stripByteCount), files.descriptors,
            by: configuration.loadsLibraries ? facts.format.workerKind : BYTECLUB_PICTURE_USUAL,
            to: operation,
            budget: { () throws(PictureError) in
                try PictureBudget(reading: input, facts, for: task, to: operation)
            }, progress: progress)
        return Outcome(answer: answer, bytes: try files.takeResult(answer.reply, to: operation))
    }

    /// Large enough for pixels, and for any encoding of them.
    private static func stripByteCount(of size: PixelSize) -> Int {
        min(max(1, size.pixelCount), PictureLimits.decodedPixelCount) * 4 + 64 << 10
    }

    /// Passes a request to a worker.
    @concurrent func run(
        _ request: byteclub_picture_request, _ descriptors: [Int32],
        by kind: byteclub_picture_kind = BYTECLUB_PICTURE_USUAL, to operation: String,
        budget: @escaping @Sendable () throws(PictureError) -> PictureBudget,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws(PictureError) -> PictureJob.Answer {
        let worker = try worker(kind, to: operation)
        working.add(1, ordering: .relaxed)
        defer { working.subtract(1, ordering: .relaxed) }
        let cancellation = PictureCancellation()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                worker.start(
                    PictureJob(
                        operation: operation, request: request, descriptors: descriptors,
                        budget: budget, progress: progress, cancellation: cancellation,
                        completion: { continuation.resume(returning: $0) }))
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }
}

extension FileFormat {
    /// The kind of worker: a library is loaded before confinement, and only if it is needed.
    fileprivate var workerKind: byteclub_picture_kind {
        switch self {
        case .webp: BYTECLUB_PICTURE_WEBP
        case .heic, .avif: BYTECLUB_PICTURE_HEIF
        case .tiff: BYTECLUB_PICTURE_TIFF
        case .gif, .bitmap, .pnm: BYTECLUB_PICTURE_SIMPLE
        default: BYTECLUB_PICTURE_USUAL
        }
    }
}

extension PictureBudget {
    /// Scans a picture with several scans to determine their cost.
    fileprivate init(
        reading input: Int32, _ facts: PictureFacts, for task: PictureTask, to operation: String
    ) throws(PictureError) {
        var visitCount = 0
        if facts.format == .jpeg, facts.isReadWhole {
            let bytes = PictureBytes.descriptor(input)
            let head = try JPEGHead(bytes, to: operation)
            if let start = head.scanPosition, let frame = head.frame {
                visitCount = try JPEGScans.check(
                    bytes, from: start, blocks: frame.blocks, to: operation)
            }
        }
        self.init(facts, for: task, visitCount: visitCount)
    }
}
