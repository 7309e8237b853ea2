/// One upload or download.
///
/// Created suspended; its store retains it from ``resume()`` until it finishes. All calls
/// are on the main actor; the work itself is not.
@MainActor public protocol StoreTransfer: AnyObject, Sendable {
    /// The file in the store.
    var path: RemotePath { get }

    var state: StoreTransferState { get }

    /// Bytes of the file moved so far. Decreases when a part must be sent again.
    var byteCount: Int64 { get }

    /// The file's size in bytes; 0 until known.
    var expectedByteCount: Int64 { get }

    /// The maximum average rate in bytes per second; nil for unlimited. May be changed at
    /// any time.
    var bytesPerSecondLimit: Int64? { get set }

    /// Starts it. Has no effect if it was started, finished or cancelled before.
    func resume()

    /// Cancels it. The state is ``StoreTransferState/finished`` immediately; the delegate gets
    /// `.cancelled` as soon as everything has stopped and is cleaned up, half a second
    /// later at most, and not from within this call.
    func cancel()
}

public enum StoreTransferState: Hashable, Sendable {
    /// Not resumed yet.
    case suspended
    case running
    /// Succeeded, failed or cancelled.
    case finished
}

/// Receives a transfer's events, on the main actor. Held weakly: a transfer without a
/// delegate continues.
@MainActor public protocol StoreTransferDelegate: AnyObject {
    /// Bytes of the file have moved.
    ///
    /// Reaches `expected` only after the other side has confirmed the whole file, and then
    /// always once, before the transfer finishes.
    func transfer(
        _ transfer: any StoreTransfer, didMove byteCount: Int64, ofExpected expected: Int64)

    /// The transfer has finished; no further calls follow. Called exactly once for a
    /// transfer that was resumed or cancelled.
    ///
    /// Always `.cancelled` after ``StoreTransfer/cancel()``, even when the last byte had arrived.
    func transfer(
        _ transfer: any StoreTransfer, didFinishWith result: Result<RemoteFile, StoreError>)
}
