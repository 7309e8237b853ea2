import ByteClub
import ClubAccess
import ClubStore
import Dispatch

/// Waits for a transfer, showing its progress on a terminal's standard error.
@MainActor enum CommandTransfer {
    /// - Parameters:
    ///   - title: What is transferred.
    ///   - make: Makes the transfer for the delegate it is given.
    static func run(
        _ title: String, make: (any TransferDelegate) -> any Transfer
    ) async throws(StoreError) -> RemoteFile {
        var progress = TransferProgress(expectedByteCount: 0)
        var pace = ProgressInterval()
        var isShown = false
        defer { if isShown { Output.endStatus() } }
        return try await TransferRun.run(make) { byteCount, expected in
            let now = DispatchTime.now().uptimeNanoseconds
            progress.record(byteCount: byteCount, of: expected, at: .nanoseconds(Int64(now)))
            guard pace.isDue() || byteCount == expected else { return }
            isShown = true
            Output.status("\(title)  \(FileLines.progress(progress))")
        }
    }
}
