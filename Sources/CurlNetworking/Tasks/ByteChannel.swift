import FoundationEssentials
import Synchronization

/// Receives a response on the delegate's queue: its head, the pieces of its body, its end.
protocol ByteSink: Sendable {
    func open(with response: URLResponse)
    func append(_ data: Data)
    func finish(_ error: (any Error)?)
}

/// Passes a response from the delegate's queue to one reader: its head, the pieces of its body, its end.
final class ByteChannel: ByteSink {
    let response = AsyncResult<URLResponse>()
    private let pipe = Mutex(Pipe())

    private struct Pipe {
        var pieces: [Data] = []
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
    }

    func open(with response: URLResponse) {
        self.response.finish(.success(response))
    }

    func append(_ data: Data) {
        let reader = pipe.withLock { pipe in
            let reader = pipe.reader
            pipe.reader = nil
            if reader == nil { pipe.pieces.append(data) }
            return reader
        }
        reader?.resume(returning: data)
    }

    func finish(_ error: (any Error)?) {
        let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        response.finish(.failure(error ?? URLError(.unknown)))
        let reader = pipe.withLock { pipe in
            pipe.end = end
            defer { pipe.reader = nil }
            return pipe.reader
        }
        reader?.resume(with: end.map { nil })
    }

    /// Returns the next piece, or nil at the end. Supports one reader at a time.
    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            let ready: Result<Data?, any Error>? = pipe.withLock { pipe in
                if !pipe.pieces.isEmpty { return .success(pipe.pieces.removeFirst()) }
                switch pipe.end {
                case .success?: return .success(nil)
                case .failure(let error)?: return .failure(error)
                case nil:
                    precondition(pipe.reader == nil, "AsyncBytes has one reader at a time")
                    pipe.reader = continuation
                    return nil
                }
            }
            if let ready { continuation.resume(with: ready) }
        }
    }
}
