import Synchronization

/// Tells code that runs on a queue that the task which waits for it was cancelled.
final class CancelFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() {
        flag.store(true, ordering: .relaxed)
    }
}
