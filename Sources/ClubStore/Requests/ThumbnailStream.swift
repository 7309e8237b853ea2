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

    /// Whether a file that starts like this may be a picture of a kind that is opened: JPEG, PNG, WebP, HEIC or
    /// AVIF. A few bytes of one may be, too.
    var mayBePicture: Bool {
        func has(_ bytes: [UInt8], at offset: Int) -> Bool {
            let rest = dropFirst(offset)
            return rest.starts(with: bytes.prefix(rest.count))
        }
        return has([0xFF, 0xD8], at: 0) || has([0x89, 0x50, 0x4E, 0x47], at: 0)
            || has(Array("RIFF".utf8), at: 0) && has(Array("WEBP".utf8), at: 8)
            || has(Array("ftyp".utf8), at: 4)
    }
}
