import Dispatch

/// The queue for file access: one serial queue per process, so that a slow disk neither blocks the engine nor
/// needs a thread per transfer.
enum FileQueue {
    static let queue = DispatchQueue(label: "CurlNetworking.files")

    static func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Reads a whole file, or one that may block, without holding up the writes of other transfers.
    ///
    /// On a queue of its own: a concurrent one would wake the process every second from then on.
    static func runLongRead(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "CurlNetworking.long-read").async(execute: work)
    }
}
