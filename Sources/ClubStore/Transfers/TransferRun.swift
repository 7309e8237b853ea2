/// Awaits one transfer; cancelling the waiting task cancels it.
@MainActor package final class TransferRun: StoreTransferDelegate {
    private let moved: (_ byteCount: Int64, _ expected: Int64) -> Void
    private var continuation: CheckedContinuation<Result<RemoteFile, StoreError>, Never>?

    private init(_ moved: @escaping (Int64, Int64) -> Void) {
        self.moved = moved
    }

    /// - Parameters:
    ///   - make: Makes the transfer for the given delegate.
    ///   - moved: Receives the bytes moved so far and the total.
    package static func run(
        _ make: (any StoreTransferDelegate) -> any StoreTransfer,
        moved: @escaping (_ byteCount: Int64, _ expected: Int64) -> Void
    ) async throws(StoreError) -> RemoteFile {
        let delegate = TransferRun(moved)
        let transfer = make(delegate)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                delegate.continuation = continuation
                if Task.isCancelled { transfer.cancel() } else { transfer.resume() }
            }
        } onCancel: {
            Task { @MainActor in transfer.cancel() }
        }
        // The transfer holds it weakly.
        withExtendedLifetime(delegate) {}
        return try result.get()
    }

    package func transfer(
        _ transfer: any StoreTransfer, didMove byteCount: Int64, ofExpected expected: Int64
    ) {
        moved(byteCount, expected)
    }

    package func transfer(
        _ transfer: any StoreTransfer, didFinishWith result: Result<RemoteFile, StoreError>
    ) {
        continuation?.resume(returning: result)
        continuation = nil
    }
}
