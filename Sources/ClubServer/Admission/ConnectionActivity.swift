import Glibc
import Synchronization

/// A connection in the registry, which can be closed from outside its task.
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

    /// Why it must be closed, if so.
    var closeReason: CloseReason? { state.withLock { $0.closeReason } }

    func noteProgress(_ byteCount: Int) { meter.note(byteCount) }

    func enter(_ phase: ConnectionPhase) { registry.enter(phase, id) }

    /// - Returns: Whether there is a place among the authenticated connections.
    func authenticate() -> AdmissionControl.Admission {
        if isAuthenticated { return .admitted }
        let admission = registry.authenticate(id)
        if admission == .admitted { state.withLock { $0.isAuthenticated = true } }
        return admission
    }

    /// Whether it has one of those places.
    var isAuthenticated: Bool { state.withLock { $0.isAuthenticated } }

    func beginRequest() -> AdmissionControl.Admission { registry.beginRequest(id) }

    /// Called for a cursor, which proves as much as the token.
    func beginLongPoll() -> AdmissionControl.Admission {
        let admission = registry.beginLongPoll(id)
        if admission == .admitted { state.withLock { $0.isAuthenticated = true } }
        return admission
    }

    /// Whether no connection reads further requests.
    var isServerStopping: Bool { registry.isStopping }

    /// Closes the connection: its task reports why and closes it, or finds it closed.
    func end(_ reason: CloseReason) {
        let descriptor = state.withLock { state -> Int32? in
            if state.closeReason == nil || reason.isImmediate { state.closeReason = reason }
            // Under the lock: afterwards the number may be reused.
            if reason.isImmediate, let descriptor = state.descriptor {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
            return state.descriptor
        }
        // If the number has been reused, that connection's task just checks once more.
        if !reason.isImmediate, let descriptor { loop.interrupt(descriptor) }
    }

    /// Called just before the descriptor is closed.
    func forgetDescriptor() { state.withLock { $0.descriptor = nil } }
}
