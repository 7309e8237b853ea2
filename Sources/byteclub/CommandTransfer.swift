import ByteClub
import ClubAccess
import ClubStore
import Dispatch

/// Waits for a transfer and tells how far it is: a bar on a terminal's standard error, silence in a pipe, or
/// events as JSON on standard output.
@MainActor enum CommandTransfer {
    /// - Parameters:
    ///   - title: What is transferred.
    ///   - isJSON: Whether events are written, a line of JSON each.
    ///   - make: Makes the transfer for the delegate it is given.
    static func run(
        _ title: String, asJSON isJSON: Bool = false,
        make: (any TransferDelegate) -> any Transfer
    ) async throws(StoreError) -> RemoteFile {
        var progress = TransferProgress(expectedByteCount: 0)
        var pace = ProgressInterval()
        var isShown = false
        defer { if isShown { Output.endStatus() } }
        return try await TransferRun.run(make) { byteCount, expected in
            let now = DispatchTime.now().uptimeNanoseconds
            progress.record(byteCount: byteCount, of: expected, at: .nanoseconds(Int64(now)))
            guard pace.take() == .due || byteCount == expected else { return }
            if isJSON {
                TransferEvent(event: "progress", name: title, bytes: byteCount, total: expected)
                    .write()
            } else {
                isShown = true
                Output.status(
                    "\(title)  \(FileLines.bar(progress))  \(FileLines.progress(progress))")
            }
        }
    }
}

/// A line of `--json` of the commands that transfer files. These fields stay as they are.
struct TransferEvent: Encodable {
    /// `progress`, then `done` or `failed`; `queued` alone for one that is left to the background.
    var event: String
    /// The file's name in the club.
    var name: String
    /// Moved so far.
    var bytes: Int64?
    /// To be moved in all.
    var total: Int64?
    /// Where it lies now: in the club for what was put there, on this computer for what was fetched.
    var path: String?
    var revision: String?
    /// Why it failed.
    var reason: String?
    /// The transfer's name in `byteclub transfers`.
    var id: String?

    func write() { try? Output.jsonLine(self) }
}
