import Dispatch

/// The queue for file access: one serial queue per process, so that a slow disk neither blocks the engine nor
/// needs a thread per transfer.
enum FileQueue {
    static let queue = DispatchQueue(label: "CurlNetworking.files")

    static func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
