import ByteClub
import ClubStore
import Dispatch

/// Waits for a transfer, showing its progress on a terminal's standard error.
@MainActor final class CommandTransfer: TransferDelegate {
    private let title: String
    private var progress = TransferProgress(expectedByteCount: 0)
    private var pace = StatusPace()
    private var isShown = false
    private var continuation: CheckedContinuation<Result<RemoteFile, StoreError>, Never>?

    private init(_ title: String) {
        self.title = title
    }

    /// - Parameters:
    ///   - title: What is transferred.
    ///   - make: Makes the transfer for the delegate it is given.
    static func run(
        _ title: String, make: (any TransferDelegate) -> any Transfer
    ) async throws(StoreError) -> RemoteFile {
        let delegate = CommandTransfer(title)
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
        let now = DispatchTime.now()
        progress.record(
            byteCount: byteCount, of: expected, at: .nanoseconds(Int64(now.uptimeNanoseconds)))
        guard pace.isDue() || byteCount == expected else { return }
        isShown = true
        Output.status("\(title)  \(FileLines.progress(progress))")
    }

    func transfer(
        _ transfer: any Transfer, didFinishWith result: Result<RemoteFile, StoreError>
    ) {
        if isShown { Output.endStatus() }
        continuation?.resume(returning: result)
        continuation = nil
    }
}
