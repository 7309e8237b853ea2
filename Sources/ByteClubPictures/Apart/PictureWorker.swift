import CByteClubLinux
import CByteClubPictureWorker
import Dispatch
import Glibc
import Synchronization

/// A picture to be processed by a worker.
struct PictureJob: Sendable {
    let operation: String
    let request: byteclub_picture_request
    /// The picture, the output file, scratch files; owned by the caller.
    let descriptors: [Int32]
    /// Scans the picture to compute the budget; called on the worker's thread.
    let budget: @Sendable () throws(PictureError) -> PictureBudget
    let progress: @Sendable (Double) -> Void
    let cancellation: PictureCancellation
    /// Called once, on the worker's thread.
    let completion: @Sendable (Result<Answer, PictureError>) -> Void

    struct Answer: Sendable {
        let reply: byteclub_picture_reply
        let protections: PictureProtections
    }
}

/// Kills the process that decodes a picture which is no longer needed.
final class PictureCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var process: pid_t?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let process = state.process { kill(process, SIGKILL) }
        }
    }

    /// Registers the decoding process until `end`; throws if already cancelled.
    func begin(_ process: pid_t) throws(CancellationError) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.process = process }
            return state.isCancelled
        }
        if isCancelled { throw CancellationError() }
    }

    /// Call it before the process is reaped: its identifier may be reused then.
    func end() { state.withLock { $0.process = nil } }
}

/// A thread with a process that decodes one picture after the other.
///
/// The process dies with the thread that started it (`PR_SET_PDEATHSIG`), so each has its own thread, which
/// sleeps while there is no picture.
final class PictureWorker: Sendable {
    let kind: byteclub_picture_kind
    private let pool: PictureWorkers
    private let wakeup = DispatchSemaphore(value: 0)
    private let orders = Mutex(Orders())

    private struct Orders {
        var jobs: [PictureJob] = []
        var isStopped = false
    }

    /// - Throws: `.noWorker`.
    init(
        _ kind: byteclub_picture_kind, _ pool: PictureWorkers, to operation: String
    ) throws(PictureError) {
        self.kind = kind
        self.pool = pool
        let context = Unmanaged.passRetained(self)
        let code = byteclub_start_thread(runWorker, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw PictureError(
                .noWorker, operation: operation, detail: String(cString: strerror(code)))
        }
    }

    func start(_ job: PictureJob) {
        orders.withLock { $0.jobs.append(job) }
        wake()
    }

    /// It ends when it has no job.
    func stop() {
        orders.withLock { $0.isStopped = true }
        wake()
    }

    /// Spurious wake-ups are harmless: a job found at the end of a wait leaves its signal behind.
    func wake() { wakeup.signal() }

    fileprivate func run() {
        byteclub_name_thread("pictures")
        var process: WorkerProcess?
        var pictureCount = 0
        while true {
            let result = wakeup.wait(timeout: .now() + pool.configuration.idleTime)
            let (job, isStopped) = orders.withLock { ($0.jobs.popLast(), $0.isStopped) }
            guard let job else {
                if isStopped || result == .timedOut && pool.remove(self) == .removed { break }
                // A job is about to arrive.
                continue
            }
            let budget: PictureBudget
            do throws(PictureError) {
                budget = pool.configuration.adjust(try job.budget())
            } catch {
                // The process has not received the picture.
                pool.add(self)
                job.completion(.failure(error))
                continue
            }
            let outcome = run(job, budget, &process)
            pictureCount += 1
            let staysWarm: Bool =
                if case .success = outcome {
                    pictureCount < pool.configuration.picturesPerProcess
                } else { false }
            guard staysWarm else {
                // The caller can continue while this thread waits for the process.
                job.completion(outcome)
                if let process = process.take() { process.end() }
                pool.remove(self)
                return
            }
            // Before the completion: its receiver may send the next picture.
            pool.add(self)
            job.completion(outcome)
        }
        if let process = process.take() { process.end() }
    }

    private func run(
        _ job: PictureJob, _ budget: PictureBudget, _ process: inout WorkerProcess?
    ) -> Result<PictureJob.Answer, PictureError> {
        do throws(PictureError) {
            // A process that ended while idle has not received this picture: retry once.
            for isRetry in [false, true] {
                let isKept = process != nil
                if process == nil { process = try WorkerProcess(kind, to: job.operation) }
                if let answer = try exchange(job, budget, &process, isKept: isKept) {
                    return .success(answer)
                }
                if !isRetry, let gone = process.take() { gone.end() }
            }
            throw PictureError(.noWorker, operation: job.operation, detail: "it does not listen")
        } catch {
            return .failure(error)
        }
    }

    /// - Parameter isKept: Whether the process was idle.
    /// - Returns: Nil if the process had already ended.
    private func exchange(
        _ job: PictureJob, _ budget: PictureBudget, _ place: inout WorkerProcess?, isKept: Bool
    ) throws(PictureError) -> PictureJob.Answer? {
        guard let process = place.take() else { return nil }
        let cancelled = PictureError(.cancelled, operation: job.operation)
        process.allow(budget)
        do throws(CancellationError) {
            try job.cancellation.begin(process.identifier)
        } catch {
            process.end()
            throw cancelled
        }
        guard process.send(job.request, job.descriptors) == .sent else {
            job.cancellation.end()
            process.end()
            guard !job.cancellation.isCancelled else { throw cancelled }
            return nil
        }
        let deadline = ContinuousClock.now + .seconds(budget.seconds)
        var reply = byteclub_picture_reply()
        var hasReported = false
        while true {
            let event = process.receive(&reply, until: deadline)
            if event == .message, reply.answer == BYTECLUB_PICTURE_PROGRESS.rawValue {
                hasReported = true
                if reply.fraction.isFinite { job.progress(min(1, max(0, reply.fraction))) }
                continue
            }
            job.cancellation.end()
            guard event == .message, !job.cancellation.isCancelled else {
                let isLate = event == .deadline
                let signal = process.end()
                if job.cancellation.isCancelled { throw cancelled }
                // Killed while idle: the request may have been sent to a dying process.
                if isKept, !hasReported, !isLate, signal == SIGKILL { return nil }
                throw Self.error(signal, isLate, budget, to: job.operation)
            }
            let protections = process.protections
            place = consume process
            guard reply.answer == BYTECLUB_PICTURE_DONE.rawValue else {
                throw PictureError(reply, operation: job.operation)
            }
            return PictureJob.Answer(reply: reply, protections: protections)
        }
    }

    private static func error(
        _ signal: Int32, _ isLate: Bool, _ budget: PictureBudget, to operation: String
    ) -> PictureError {
        if isLate {
            return PictureError(
                .tooCostly, operation: operation, detail: "more than \(budget.seconds) s")
        }
        if signal == SIGXCPU {
            return PictureError(
                .tooCostly, operation: operation,
                detail: "more than \(budget.processorSeconds) s of a processor")
        }
        return PictureError(.crashed, operation: operation, detail: "signal \(signal)")
    }
}

private func runWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context {
        Unmanaged<PictureWorker>.fromOpaque(context).takeRetainedValue().run()
    }
    return nil
}

extension PictureError {
    /// A worker's reply; all its values are validated.
    fileprivate init(_ reply: byteclub_picture_reply, operation: String) {
        let codes = Code.allCases
        var code = codes.indices.contains(Int(reply.code)) ? codes[Int(reply.code)] : .crashed
        // It had many times the memory that such a picture needs.
        if code == .outOfMemory { code = .tooCostly }
        let detail = withUnsafeBytes(of: reply.detail) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(
            code, operation: operation, detail: detail.isEmpty ? nil : detail,
            format: FileFormat(rawValue: Int(reply.format)))
    }
}
