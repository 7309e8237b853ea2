package import FoundationEssentials
import Synchronization

/// The body of a request that is written while it is sent, for one attempt.
///
/// The engine holds the pipe strongly and the writer weakly; when the attempt ends, unsent bytes are dropped
/// and pending writes fail.
final class BodyPipe: Sendable {
    /// The length of the body; -1 if it is unknown and the body is sent chunked.
    let byteCount: Int64
    private let state: Mutex<State>

    private struct State: Sendable {
        /// Each with a closure to call when all of the piece was taken, or will not be.
        var pieces = OutgoingPieces<@Sendable (Result<Void, any Error>) -> Void>()
        var takenByteCount: Int64 = 0
        var end: End?
        var wake: (@Sendable () -> Void)?
        var whenDropped: (@Sendable () -> Void)?
    }

    private enum End: Sendable {
        case whole(trailers: [HTTPHeaderFields.Field])
        case failed(URLError)
    }

    /// Creates a pipe.
    ///
    /// - Parameter wake: Called when bytes are available after ``take(into:)`` had none.
    init(byteCount: Int64, wake: @escaping @Sendable () -> Void) {
        self.byteCount = byteCount
        state = Mutex(State(wake: wake))
    }

    deinit {
        // This was the last reference to the pipe.
        let (waiting, whenDropped) = state.withLock { ($0.pieces.receipts, $0.whenDropped) }
        whenDropped?()  // first, so that a resumed writer already knows that it is cancelled
        for taken in waiting { taken(.failure(Self.dropped)) }
    }

    /// The error for a write after its attempt ended.
    static var dropped: URLError {
        URLError(.cancelled, underlyingText: "the body is no longer needed")
    }

    /// Sets the closure that is called when the pipe is released, whether its body was sent or not.
    func whenDropped(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenDropped = work }
    }

    // MARK: - Writing

    /// Queues bytes.
    ///
    /// - Parameter taken: Called when the engine has taken the last of them, or will not.
    func append(_ bytes: Data, taken: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        guard !bytes.isEmpty else { return taken(.success(())) }
        let wake: (@Sendable () -> Void)? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.pieces.append(bytes, taken)
            return state.wake
        }
        guard let wake else { return taken(.failure(Self.dropped)) }
        wake()
    }

    /// Ends the body after the queued bytes, with trailers.
    func finish(trailers: [HTTPHeaderFields.Field]) { end(.whole(trailers: trailers)) }

    /// Fails the request.
    func fail(_ error: URLError) { end(.failed(error)) }

    private func end(_ end: End) {
        let wake = state.withLock { state in
            if state.end == nil { state.end = end }
            return state.wake
        }
        wake?()
    }

    // MARK: - Sending, by the engine

    func take(into buffer: UnsafeMutableRawBufferPointer) -> BodyReader.Portion {
        var taken: [@Sendable (Result<Void, any Error>) -> Void] = []
        let portion: BodyReader.Portion = state.withLock { state in
            if case .failed(let error) = state.end { return .failed(error) }
            let count: Int
            (count, taken) = state.pieces.take(into: buffer)
            state.takenByteCount += Int64(count)
            if byteCount >= 0, state.takenByteCount > byteCount {
                return .failed(wrongLength("more than \(byteCount) bytes were written"))
            }
            if count > 0 { return .bytes(count) }
            guard state.end != nil else { return .notYet }
            guard byteCount < 0 || state.takenByteCount == byteCount else {
                let written = state.takenByteCount
                return .failed(wrongLength("the body ended after \(written) of \(byteCount) bytes"))
            }
            return .end
        }
        for taken in taken { taken(.success(())) }
        return portion
    }

    private func wrongLength(_ text: String) -> URLError {
        URLError(.requestBodyStreamExhausted, underlyingText: text)
    }

    /// The trailers of a body without a known length (RFC 9112 §7.1.2), after its end.
    var trailers: [HTTPHeaderFields.Field] {
        state.withLock { state in
            if case .whole(let trailers) = state.end { trailers } else { [] }
        }
    }
}

/// The source of a body that is written while it is sent.
package struct BodyProducer: Sendable {
    /// The length of the body; nil if it is unknown and the body is sent chunked.
    let byteCount: Int64?
    /// Writes the body. Called for each attempt, on the engine's thread; must return at once.
    let begin: @Sendable (BodyWriter) -> Void

    package init(byteCount: Int64?, begin: @escaping @Sendable (BodyWriter) -> Void) {
        self.byteCount = byteCount
        self.begin = begin
    }
}

/// The writing end of a pipe.
package final class BodyWriter: Sendable {
    // A constant reference to a Sendable object. It is weak, and the runtime writes weak variables of
    // Sendable classes, so it needs a lock.
    private let pipe: Mutex<WeakPipe>

    private struct WeakPipe: Sendable {
        weak var pipe: BodyPipe?
    }

    init(_ pipe: BodyPipe) {
        self.pipe = Mutex(WeakPipe(pipe: pipe))
    }

    /// Sends bytes. Returns when the last of them was taken, so that a writer never gets ahead of its
    /// connection.
    ///
    /// - Throws: `URLError.cancelled` if the attempt is over.
    package func write(_ bytes: Data) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            // Not retained while waiting: the pipe must be released with the engine's reference.
            guard let pipe = pipe.withLock({ $0.pipe }) else {
                return continuation.resume(throwing: BodyPipe.dropped)
            }
            pipe.append(bytes) { continuation.resume(with: $0) }
        }
    }

    /// Ends the body. A body of unknown length may have trailers, as names and values.
    package func finish(trailers: [(name: String, value: String)] = []) {
        pipe.withLock { $0.pipe }?.finish(
            trailers: trailers.map { HTTPHeaderFields.Field(name: $0.name, value: $0.value) })
    }

    /// Ends the body early: the request fails with `.requestBodyStreamExhausted`.
    package func fail(_ text: String) {
        pipe.withLock { $0.pipe }?.fail(
            URLError(.requestBodyStreamExhausted, underlyingText: text))
    }

    /// Calls a closure when the attempt is over, whether the body was sent or not.
    package func whenOver(_ work: @escaping @Sendable () -> Void) {
        guard let pipe = pipe.withLock({ $0.pipe }) else { return work() }
        pipe.whenDropped(work)
    }
}
