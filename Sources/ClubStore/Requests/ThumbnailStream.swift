import FoundationEssentials

/// Answers about pictures, each as soon as it is there, several requests at a time.
///
/// The next begins in the order asked for, so that the first pictures are there first. Whoever drops
/// the stream stops the work.
enum ThumbnailStream {
    typealias Answer = (path: RemotePath, result: Result<Data, StoreError>)

    /// - Parameters:
    ///   - batches: What is asked for in one go.
    ///   - make: Answers for each path of a batch, once.
    static func make<Batch: Sendable>(
        of batches: [Batch], atOnce: Int,
        by make: @escaping @Sendable (Batch, _ answer: @Sendable (Answer) -> Void) async -> Void
    ) -> AsyncStream<Answer> {
        AsyncStream { continuation in
            let work = Task { @concurrent in
                var waiting = batches[...]
                await withTaskGroup(of: Void.self) { group in
                    var running = 0
                    while !Task.isCancelled {
                        while running < atOnce, let batch = waiting.popFirst() {
                            running += 1
                            group.addTask { await make(batch) { continuation.yield($0) } }
                        }
                        guard await group.next() != nil else { break }
                        running -= 1
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }
}

extension Data {
    /// Whether it begins like one. A network's own page does not.
    var isJPEG: Bool { starts(with: [0xFF, 0xD8]) }
}
