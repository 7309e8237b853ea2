package import FoundationEssentials
import Synchronization

/// The body of a request that is written while it is sent, over one attempt.
///
/// The engine holds the pipe for as long as it may send, and who writes holds it weakly: when the attempt is
/// over, what was not sent is dropped, and writers who wait are told.
final class BodyPipe: Sendable {
    /// The length of the body; -1 when it is not known, and the body goes out chunked.
    let byteCount: Int64
    private let state: Mutex<State>

    private struct State: Sendable {
        /// With what is called when all of a piece was taken, or will not be.
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

    /// - Parameter wake: Called when there is something after ``take(into:)`` had nothing.
    init(byteCount: Int64, wake: @escaping @Sendable () -> Void) {
        self.byteCount = byteCount
        state = Mutex(State(wake: wake))
    }

    deinit {
        // Nobody else has the pipe any more.
        let (waiting, whenDropped) = state.withLock { ($0.pieces.receipts, $0.whenDropped) }
        whenDropped?()  // first: a writer that is woken knows by then that it is not wanted
        for taken in waiting { taken(.failure(Self.dropped)) }
    }

    /// What a writer is told whose attempt is over.
    static var dropped: URLError {
        URLError(.cancelled, underlyingText: "the body is not wanted any more")
    }

    /// Called once the pipe is gone, whether its body was sent or not.
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

    /// What is queued still goes out, then the trailers.
    func finish(trailers: [HTTPHeaderFields.Field]) { end(.whole(trailers: trailers)) }

    /// The request fails.
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

    /// What follows a body without a known length (RFC 9112 §7.1.2), once it has ended.
    var trailers: [HTTPHeaderFields.Field] {
        state.withLock { state in
            if case .whole(let trailers) = state.end { trailers } else { [] }
        }
    }
}

/// Where a body comes from that is written while it is sent.
package struct BodyProducer: Sendable {
    /// The length of the body; nil when it is not known, and the body goes out chunked.
    let byteCount: Int64?
    /// Writes the body. Called for each attempt, on the engine's thread, and returns at once.
    let begin: @Sendable (BodyWriter) -> Void

    package init(byteCount: Int64?, begin: @escaping @Sendable (BodyWriter) -> Void) {
        self.byteCount = byteCount
        self.begin = begin
    }
}

/// The end of a pipe that a body goes in by.
package final class BodyWriter: Sendable {
    // A reference that never changes to an object that is Sendable; weak variables of Sendable classes have to be
    // behind a lock, as the runtime writes them.
    private let pipe: Mutex<WeakPipe>

    private struct WeakPipe: Sendable {
        weak var pipe: BodyPipe?
    }

    init(_ pipe: BodyPipe) {
        self.pipe = Mutex(WeakPipe(pipe: pipe))
    }

    /// Sends bytes. Returns when the last of them has been taken: a writer never runs ahead of its connection.
    ///
    /// - Throws: `URLError.cancelled` when the attempt is over.
    package func write(_ bytes: Data) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            // Not held while waiting: the pipe goes with the engine's reference.
            guard let pipe = pipe.withLock({ $0.pipe }) else {
                return continuation.resume(throwing: BodyPipe.dropped)
            }
            pipe.append(bytes) { continuation.resume(with: $0) }
        }
    }

    /// The body is whole; what may follow a body of unknown length are trailers, by name and value.
    package func finish(trailers: [(name: String, value: String)] = []) {
        pipe.withLock { $0.pipe }?.finish(
            trailers: trailers.map { HTTPHeaderFields.Field(name: $0.name, value: $0.value) })
    }

    /// There is no more of the body: the request fails with `.requestBodyStreamExhausted`.
    package func fail(_ text: String) {
        pipe.withLock { $0.pipe }?.fail(
            URLError(.requestBodyStreamExhausted, underlyingText: text))
    }

    /// Calls back once the attempt is over, whether the body was sent or not.
    package func whenOver(_ work: @escaping @Sendable () -> Void) {
        guard let pipe = pipe.withLock({ $0.pipe }) else { return work() }
        pipe.whenDropped(work)
    }
}
