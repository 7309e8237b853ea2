/// One upload or download under way.
///
/// Created suspended; kept alive by its store from ``resume()`` until it has finished.
/// Everything about it happens on the main actor; the work itself does not.
@MainActor public protocol Transfer: AnyObject, Sendable {
    /// The file in the store.
    var path: RemotePath { get }

    var state: TransferState { get }

    /// Bytes of the file moved so far. Falls back when a part must be moved again.
    var byteCount: Int64 { get }

    /// Bytes of the file in all; 0 while not known yet.
    var expectedByteCount: Int64 { get }

    /// The most bytes to move in a second, on average; nil for as fast as it goes. May be
    /// changed at any time.
    var bytesPerSecondLimit: Int64? { get set }

    /// Starts it. Has no effect when it was started, finished or cancelled before.
    func resume()

    /// Ends it. The state is ``TransferState/finished`` at once; the delegate hears
    /// `.cancelled` as soon as everything has stopped and is cleaned up, half a second
    /// later at most, and not from within this call.
    func cancel()
}

public enum TransferState: Hashable, Sendable {
    /// Not resumed yet.
    case suspended
    case running
    /// Done, failed or cancelled.
    case finished
}

/// Who is told about a transfer, on the main actor. Held weakly: a transfer without a
/// delegate goes on.
@MainActor public protocol TransferDelegate: AnyObject {
    /// Bytes of the file have moved.
    ///
    /// Reaches `expected` only after the other side has confirmed the whole file, and then
    /// always once, before the end.
    func transfer(
        _ transfer: any Transfer, didMove byteCount: Int64, ofExpected expected: Int64)

    /// It is over; nothing more is heard of it. Comes exactly once for a transfer that was
    /// resumed or cancelled.
    ///
    /// `.cancelled` always after ``Transfer/cancel()``, even when the last byte had arrived.
    func transfer(
        _ transfer: any Transfer, didFinishWith result: Result<RemoteFile, StoreError>)
}
