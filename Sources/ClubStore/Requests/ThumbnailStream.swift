import FoundationEssentials

/// Streams thumbnail results as they become available, with several concurrent requests.
///
/// Requests start in the given order, so that the first pictures arrive first. Dropping the stream
/// stops the work.
enum ThumbnailStream {
    typealias Answer = (path: RemotePath, result: Result<Data, StoreError>)

    /// - Parameters:
    ///   - batches: The paths of each request.
    ///   - make: Returns one result for each path of a batch.
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
    /// Whether the data starts like a JPEG. A network's sign-in page does not.
    var isJPEG: Bool { starts(with: [0xFF, 0xD8]) }
}
