import Synchronization

/// The opening of a partial file, which reads all of it: the engine cancels it, the file queue sees that
/// between two blocks.
final class PartialFileOpening: Sendable {
    private let cancelled = Atomic(false)

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}
