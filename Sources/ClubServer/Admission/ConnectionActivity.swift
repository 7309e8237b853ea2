import Glibc
import Synchronization

/// A connection as the registry knows it: what ends it from outside of the task that serves it.
final class ConnectionActivity: Sendable {
    let meter: TransferMeter
    private let registry: ConnectionRegistry
    private let loop: EventLoop
    private let state: Mutex<State>

    private struct State {
        var id: AdmissionControl.ID = 0
        /// nil once the descriptor is closed: its number may belong to another connection by then.
        var descriptor: Int32?
        var closeReason: CloseReason?
        var isAuthenticated = false
    }

    init(descriptor: Int32, registry: ConnectionRegistry, loop: EventLoop) {
        meter = TransferMeter()
        self.registry = registry
        self.loop = loop
        state = Mutex(State(descriptor: descriptor))
    }

    var id: AdmissionControl.ID { state.withLock { $0.id } }

    func assign(_ id: AdmissionControl.ID) { state.withLock { $0.id = id } }

    /// Why it must end, when it must.
    var closeReason: CloseReason? { state.withLock { $0.closeReason } }

    func noteProgress(_ byteCount: Int) { meter.note(byteCount) }

    func enter(_ phase: ConnectionPhase) { registry.enter(phase, id) }

    /// - Returns: Whether there is a place for it among those who have shown the token.
    func authenticate() -> AdmissionControl.Admission {
        if isAuthenticated { return .admitted }
        let admission = registry.authenticate(id)
        if admission == .admitted { state.withLock { $0.isAuthenticated = true } }
        return admission
    }

    /// Whether it has one of those places.
    var isAuthenticated: Bool { state.withLock { $0.isAuthenticated } }

    func beginRequest() -> AdmissionControl.Admission { registry.beginRequest(id) }

    /// Called for a cursor that proves as much as the token.
    func beginLongPoll() -> AdmissionControl.Admission {
        let admission = registry.beginLongPoll(id)
        if admission == .admitted { state.withLock { $0.isAuthenticated = true } }
        return admission
    }

    /// Whether no further request is read, from any connection.
    var isServerStopping: Bool { registry.isStopping }

    /// Ends the connection: its task says why and closes it, or finds it closed.
    func end(_ reason: CloseReason) {
        let descriptor = state.withLock { state -> Int32? in
            if state.closeReason == nil || reason.isImmediate { state.closeReason = reason }
            // Within the lock: afterwards the number may be another's.
            if reason.isImmediate, let descriptor = state.descriptor {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
            return state.descriptor
        }
        // The number may be another connection's by now, whose task then looks once for nothing.
        if !reason.isImmediate, let descriptor { loop.interrupt(descriptor) }
    }

    /// Called just before the descriptor is closed.
    func forgetDescriptor() { state.withLock { $0.descriptor = nil } }
}
