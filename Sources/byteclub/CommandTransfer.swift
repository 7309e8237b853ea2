import ClubAccess
import ClubStore

/// Waits for a transfer and shows its progress: a bar on a terminal's standard error, nothing in a pipe, or
/// JSON events on standard output.
@MainActor final class CommandTransfer {
    private let title: String
    private let isJSON: Bool
    private let isUpload: Bool
    /// As for background transfers.
    private var meters: TransferMeters
    private var pace = ProgressInterval()
    private var byteCount: Int64 = 0
    private let keptByteCount: Int64
    private var expected: Int64 = 0
    private var isShown = false
    private var moving: Task<Void, Never>?
    private let began = ContinuousClock.now

    private static let step = Duration.milliseconds(100)

    private init(_ title: String, isJSON: Bool, isUpload: Bool, keptByteCount: Int64) {
        self.title = title
        self.keptByteCount = keptByteCount
        self.isJSON = isJSON
        self.isUpload = isUpload
        meters = TransferMeters(expecting: 0, isUpload: isUpload)
    }

    /// - Parameters:
    ///   - title: What is transferred.
    ///   - isJSON: Whether to write events, one line of JSON each.
    ///   - isUpload: Whether the bytes accepted by the other side count.
    ///   - keptByteCount: What the other side has of an earlier attempt: it counts for no speed.
    ///   - make: Creates the transfer for a delegate.
    static func run(
        _ title: String, asJSON isJSON: Bool = false, isUpload: Bool = false,
        goingOnFrom keptByteCount: Int64 = 0,
        make: (any StoreTransferDelegate) -> any StoreTransfer
    ) async throws(StoreError) -> RemoteFile {
        let display = CommandTransfer(
            title, isJSON: isJSON, isUpload: isUpload, keptByteCount: keptByteCount)
        defer { display.end() }
        let file = try await TransferRun.run(make) { display.record($0, of: $1) }
        display.finish()
        return file
    }

    private var time: Duration { began.duration(to: .now) }

    private func record(_ byteCount: Int64, of expected: Int64) {
        if self.byteCount < keptByteCount, byteCount >= keptByteCount {
            meters.restart(at: byteCount, expecting: self.expected)
        }
        (self.byteCount, self.expected) = (byteCount, expected)
        meters.recordCount(byteCount, at: time)
        guard pace.take() == .due || (byteCount == expected && !isUpload) else { return }
        show(meters.shown(byteCount, at: time))
        moveOn()
    }

    /// Shows estimated progress between two reports.
    private func moveOn() {
        guard moving == nil, meters.isMoving(at: time) else { return }
        moving = Task {
            while !Task.isCancelled, meters.isMoving(at: time) {
                try? await Pause.sleep(for: Self.step)
                if !Task.isCancelled { show(meters.shown(byteCount, at: time)) }
            }
            moving = nil
        }
    }

    /// Shows completion, after the other side has confirmed it.
    private func finish() {
        moving?.cancel()
        if isUpload, byteCount == expected { show(byteCount) }
    }

    private func end() {
        moving?.cancel()
        if isShown { Output.endStatus() }
    }

    private func show(_ byteCount: Int64) {
        meters.recordRate(byteCount, of: expected, at: time)
        guard !isJSON else {
            return TransferEvent(
                event: "progress", name: title, bytes: byteCount, total: expected
            ).write()
        }
        isShown = true
        Output.status(
            FileLines.status(title, meters.progress, fitting: Output.statusColumnCount))
    }
}

/// A `--json` line of the commands that transfer files. These fields must not change.
struct TransferEvent: Encodable {
    /// `progress`, then `done` or `failed`; `queued` alone for one that continues in the background.
    var event: String
    /// The file's name in the club.
    var name: String
    /// Transferred so far.
    var bytes: Int64?
    /// The total to transfer.
    var total: Int64?
    /// The file's path: in the club after an upload, on this computer after a download.
    var path: String?
    var revision: String?
    /// Why it failed.
    var reason: String?
    /// The transfer's identifier in `byteclub transfers`.
    var id: String?

    func write() { try? Output.jsonLine(self) }
}
