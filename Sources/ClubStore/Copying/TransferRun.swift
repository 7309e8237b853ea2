/// One transfer, awaited; cancelled with the task that waits for it.
@MainActor final class TransferRun: TransferDelegate {
    private let moved: (Int64) -> Void
    private var continuation: CheckedContinuation<Result<RemoteFile, StoreError>, Never>?

    private init(_ moved: @escaping (Int64) -> Void) {
        self.moved = moved
    }

    /// - Parameter make: Makes the transfer for the delegate it is given.
    static func run(
        _ make: (any TransferDelegate) -> any Transfer, moved: @escaping (Int64) -> Void
    ) async throws(StoreError) -> RemoteFile {
        let delegate = TransferRun(moved)
        // The transfer holds it weakly.
        defer { withExtendedLifetime(delegate) {} }
        let transfer = make(delegate)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                delegate.continuation = continuation
                if Task.isCancelled { transfer.cancel() } else { transfer.resume() }
            }
        } onCancel: {
            Task { @MainActor in transfer.cancel() }
        }
        return try result.get()
    }

    func transfer(_ transfer: any Transfer, didMove byteCount: Int64, ofExpected expected: Int64) {
        moved(byteCount)
    }

    func transfer(
        _ transfer: any Transfer, didFinishWith result: Result<RemoteFile, StoreError>
    ) {
        continuation?.resume(returning: result)
        continuation = nil
    }
}
