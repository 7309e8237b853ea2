import Dispatch
import Synchronization

/// A transfer's public state: progress, and exactly one completion. The work itself is passed in.
@MainActor final class StoreTransferTask: StoreTransfer {
    /// Moves the bytes, off the main actor.
    typealias Work = @Sendable (TransferProgressPort) async throws(StoreError) -> RemoteFile

    let path: RemotePath
    private(set) var state = StoreTransferState.suspended
    private(set) var byteCount: Int64 = 0
    private(set) var expectedByteCount: Int64 = 0

    private let operation: StoreError.Operation
    private weak var delegate: (any StoreTransferDelegate)?
    private let pacer = TransferThrottle()
    private let work: Work
    private var task: Task<Void, Never>?
    private var hasTold = false

    init(
        _ operation: StoreError.Operation, of path: RemotePath, delegate: any StoreTransferDelegate,
        work: @escaping Work
    ) {
        self.operation = operation
        self.path = path
        self.delegate = delegate
        self.work = work
    }

    var bytesPerSecondLimit: Int64? {
        get { pacer.bytesPerSecond }
        set { pacer.bytesPerSecond = newValue }
    }

    func resume() {
        guard state == .suspended else { return }
        state = .running
        let port = TransferProgressPort(pacer: pacer) { [weak self] moved, expected in
            self?.didMove(moved, ofExpected: expected)
        }
        // The task retains the transfer until it finishes.
        task = Task {
            let result: Result<RemoteFile, StoreError>
            do throws(StoreError) {
                result = .success(try await work(port))
            } catch {
                result = .failure(error)
            }
            finish(with: result)
        }
    }

    func cancel() {
        guard state != .finished else { return }
        state = .finished
        guard let task else {
            Task { notifyCancelled() }
            return
        }
        task.cancel()
        // The work reports when it has cleaned up, but only until the timeout.
        Task {
            try? await Pause.sleep(for: Self.cancellationTimeout)
            notifyCancelled()
        }
    }

    /// How long the work may take to stop before the delegate is called without it.
    private static let cancellationTimeout = Duration.milliseconds(500)
}

extension StoreTransferTask {
    /// The last byte counts as moved only after the other side has confirmed it.
    private func didMove(_ moved: Int64, ofExpected expected: Int64) {
        guard state == .running else { return }
        let count = max(0, min(moved, expected - 1))
        guard count != byteCount || expected != expectedByteCount else { return }
        byteCount = count
        expectedByteCount = expected
        delegate?.transfer(self, didMove: count, ofExpected: expected)
    }

    private func notifyCancelled() {
        guard !hasTold else { return }
        hasTold = true
        let cancelled = StoreError(.cancelled, during: operation, at: path)
        delegate?.transfer(self, didFinishWith: .failure(cancelled))
    }

    private func finish(with result: Result<RemoteFile, StoreError>) {
        guard state == .running else { return notifyCancelled() }
        if case .success(let file) = result {
            byteCount = file.byteCount
            expectedByteCount = file.byteCount
            delegate?.transfer(self, didMove: byteCount, ofExpected: expectedByteCount)
            // The delegate may have cancelled in that callback: then the transfer ends as
            // cancelled.
            guard state == .running else { return notifyCancelled() }
        }
        state = .finished
        hasTold = true
        delegate?.transfer(self, didFinishWith: result)
    }
}

/// Where the work of a transfer reports its progress.
final class TransferProgressPort: Sendable {
    typealias Report = @MainActor @Sendable (_ moved: Int64, _ expected: Int64) -> Void

    let pacer: TransferThrottle
    private let report: Report
    private let latest = Mutex<(moved: Int64, expected: Int64, isOnItsWay: Bool)>((0, 0, false))

    init(pacer: TransferThrottle, report: @escaping Report) {
        self.pacer = pacer
        self.report = report
    }

    /// From any thread. Reports faster than the main queue processes them are coalesced.
    func update(_ moved: Int64, ofExpected expected: Int64) {
        let isOnItsWay = latest.withLock { latest in
            defer { latest = (moved, expected, true) }
            return latest.isOnItsWay
        }
        guard !isOnItsWay else { return }
        DispatchQueue.main.async { @Sendable [self] in
            MainActor.assumeIsolated { deliver() }
        }
    }

    /// On the main queue, where a session reports sent bytes.
    func updateImmediately(_ moved: Int64, ofExpected expected: Int64) {
        MainActor.assumeIsolated { report(moved, expected) }
    }

    @MainActor private func deliver() {
        let (moved, expected) = latest.withLock { latest in
            latest.isOnItsWay = false
            return (latest.moved, latest.expected)
        }
        report(moved, expected)
    }
}
