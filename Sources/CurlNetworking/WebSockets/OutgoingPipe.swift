import FoundationEssentials
import Synchronization

/// Bytes on their way to a server that has agreed to take any: what a WebSocket sends after its
/// handshake.
///
/// Filled from any thread, emptied by the engine, which never waits for it.
final class OutgoingPipe: Sendable {
    private let state = Mutex(State())

    private struct State {
        /// With what is called when all of a piece was taken.
        var pieces = OutgoingPieces<(@Sendable () -> Void)?>()
        var isOpen = false
        var isEnded = false
        var wake: (@Sendable () -> Void)?
    }

    /// Queues bytes. `whenTaken` is called when the engine has taken the last of them; never when the
    /// pipe has ended before.
    func append(_ bytes: Data, whenTaken: (@Sendable () -> Void)? = nil) {
        wakeUp { state in
            if !state.isEnded { state.pieces.append(bytes, whenTaken) }
        }
    }

    /// How many pieces wait. A server that does not read is not answered without end.
    var waitingCount: Int { state.withLock { $0.pieces.count } }

    /// From here on bytes go out.
    func open() {
        wakeUp { $0.isOpen = true }
    }

    /// What is queued still goes out, and then nothing.
    func end() {
        wakeUp { $0.isEnded = true }
    }

    /// Whom to call when there is something after ``take(into:)`` had nothing.
    func connect(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    /// Called by the engine.
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
