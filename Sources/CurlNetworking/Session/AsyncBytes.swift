public import FoundationEssentials

extension URLSession {
    /// Starts loading and returns when the head of the response has been received; the sequence delivers the
    /// body. The transfer is paused while the reader is slow.
    ///
    /// - Throws: `URLError`; `.cancelled` if the surrounding task is cancelled.
    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (AsyncBytes, URLResponse) {
        let channel = ByteChannel()
        let task = dataTask(request, for: .bytes(channel), delegate: delegate)
        return try await withTaskCancellationHandler {
            task.resume()
            let response = try await channel.response.value
            return (AsyncBytes(task: task, channel: channel), response)
        } onCancel: {
            task.cancel()
        }
    }

    /// Loads a URL with GET, and returns when the head of the response has been received. See
    /// `bytes(for:delegate:)`.
    public func bytes(
        from url: URL, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }

    /// The bytes of a response body as they arrive, for one reader. Releasing the sequence before its end
    /// cancels the transfer.
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8

        private let owner: Owner
        private let channel: ByteChannel

        /// The task that loads the body.
        public var task: URLSessionDataTask { owner.task }

        init(task: URLSessionDataTask, channel: ByteChannel) {
            self.owner = Owner(task)
            self.channel = channel
        }

        public func makeAsyncIterator() -> Iterator {
            Iterator(owner: owner, channel: channel)
        }

        /// An iterator that reads the body byte by byte.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let owner: Owner
            fileprivate let channel: ByteChannel
            private var piece = Data()
            private var position = 0

            fileprivate init(owner: Owner, channel: ByteChannel) {
                self.owner = owner
                self.channel = channel
            }

            public mutating func next() async throws -> UInt8? {
                while position == piece.endIndex {
                    guard let next = try await nextPiece() else { return nil }
                    piece = next
                    position = next.startIndex
                }
                defer { position += 1 }
                return piece[position]
            }

            private func nextPiece() async throws -> Data? {
                let task = owner.task
                let next = try await withTaskCancellationHandler {
                    try await channel.next()
                } onCancel: {
                    task.cancel()
                }
                if let next { task.didConsume(next.count) }
                return next
            }
        }

        /// Cancels the transfer with the last reference to it, unless it is complete.
        fileprivate final class Owner: Sendable {
            let task: URLSessionDataTask

            init(_ task: URLSessionDataTask) {
                self.task = task
            }

            deinit {
                task.cancel()
            }
        }
    }
}
