import Dispatch

/// Where files are read and written: one serial queue for the process, so that a slow disk neither
/// stops the engine nor costs a thread per transfer.
enum FileQueue {
    static let queue = DispatchQueue(label: "CurlNetworking.files")

    static func run(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
