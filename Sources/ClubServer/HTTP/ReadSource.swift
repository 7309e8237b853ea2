import Dispatch

/// A Dispatch source that says when a descriptor can be read, from ``init`` to ``cancel()``.
///
/// Unchecked: Dispatch lets any thread cancel a source, and nothing else is done with it here.
struct ReadSource: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// - Parameter owner: Of the descriptor; kept until Dispatch is done with it, because closing it
    ///   earlier is forbidden.
    init(
        _ descriptor: Int32, on queue: DispatchQueue, keeping owner: some AnyObject & Sendable,
        _ handler: @escaping @Sendable () -> Void
    ) {
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: handler)
        source.setCancelHandler { @Sendable in withExtendedLifetime(owner) {} }
        source.activate()
    }

    func cancel() { source.cancel() }
}
