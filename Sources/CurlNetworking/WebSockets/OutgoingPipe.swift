import FoundationEssentials
import Synchronization

/// The bytes that a WebSocket sends after its handshake.
///
/// Any thread appends; the engine takes, without blocking.
final class OutgoingPipe: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// Each with a closure to call when all of the piece was taken.
        var pieces = OutgoingPieces<(@Sendable () -> Void)?>()
        var isOpen = false
        var isEnded = false
        var wake: (@Sendable () -> Void)?
    }

    /// Queues bytes, or drops them if the pipe has ended.
    ///
    /// - Parameters:
    ///   - thenEnds: Whether these bytes are the last. Decided under the lock that appends them: no other thread
    ///     can append after a close frame.
    ///   - whenTaken: Called when the engine has taken the last of them; never if they are dropped, or if the
    ///     transfer ends before.
    func append(
        _ bytes: Data, thenEnds: Bool = false, whenTaken: (@Sendable () -> Void)? = nil
    ) {
        wakeUp { state in
            guard !state.isEnded else { return }
            state.pieces.append(bytes, whenTaken)
            state.isEnded = thenEnds
        }
    }

    /// The number of queued pieces, which limits the answers to a server that does not read.
    var waitingCount: Int { state.withLock { $0.pieces.count } }

    /// Starts sending.
    func open() {
        wakeUp { $0.isOpen = true }
    }

    /// Sets the closure that is called when bytes are available after ``take(into:)`` had none.
    func connect(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    /// Takes bytes. Called by the engine.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> BodyReader.Portion {
        var taken: [(@Sendable () -> Void)?] = []
        let portion: BodyReader.Portion = state.withLock { state in
            guard state.isOpen else { return .notYet }
            let count: Int
            (count, taken) = state.pieces.take(into: buffer)
            if count > 0 { return .bytes(count) }
            return state.isEnded ? .end : .notYet
        }
        for whenTaken in taken { whenTaken?() }
        return portion
    }

    private func wakeUp(after change: (inout State) -> Void) {
        let wake = state.withLock { state in
            change(&state)
            return state.wake
        }
        wake?()
    }
}
