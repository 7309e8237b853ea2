import Synchronization

/// The open connections; performs what ``AdmissionControl`` decides.
final class ConnectionRegistry: Sendable {
    private let state: Mutex<State>
    private let loop: EventLoop
    private let sweepInterval: Duration
    let limits: ConnectionLimits

    private struct State {
        var admission: AdmissionControl
        var activities: [AdmissionControl.ID: ConnectionActivity] = [:]
        /// Whether the timer runs; none does when idle.
        var isSweeping = false
        /// Sent when the next connection closes.
        var nextClose = StopSignal()
        /// Sent when no requests are left.
        var drained: StopSignal?
    }

    init(limits: ConnectionLimits, loop: EventLoop) {
        state = Mutex(State(admission: AdmissionControl(limits: limits)))
        self.limits = limits
        self.loop = loop
        sweepInterval = limits.sweepInterval
    }

    var count: Int { state.withLock { $0.admission.count } }
    var isStopping: Bool { state.withLock { $0.admission.isStopping } }

    // MARK: - One connection

    func admit(_ descriptor: Int32) -> ConnectionActivity {
        let activity = ConnectionActivity(descriptor: descriptor, registry: self, loop: loop)
        let peer = PeerIdentity(of: descriptor)
        change { state in
            let (id, closings) = state.admission.admit(peer, activity.meter, at: .now)
            activity.assign(id)
            state.activities[id] = activity
            return closings
        }
        return activity
    }

    /// Called when its descriptor is closed.
    func remove(_ activity: ConnectionActivity) {
        let id = activity.id
        let closed = change { state in
            state.admission.remove(id)
            state.activities[id] = nil
            defer { state.nextClose = StopSignal() }
            return ([], state.nextClose)
        }
        closed.send()
    }

    func enter(_ phase: ConnectionPhase, _ id: AdmissionControl.ID) {
        change { $0.admission.enter(phase, id, at: .now) }
    }

    func authenticate(_ id: AdmissionControl.ID) -> AdmissionControl.Admission {
        change { state in
            guard let closings = state.admission.authenticate(id, at: .now) else {
                return ([], .busy)
            }
            return (closings, .admitted)
        }
    }

    func beginRequest(_ id: AdmissionControl.ID) -> AdmissionControl.Admission {
        change { ([], $0.admission.beginRequest(id)) }
    }

    func beginLongPoll(_ id: AdmissionControl.ID) -> AdmissionControl.Admission {
        change { ([], $0.admission.beginLongPoll(id, at: .now)) }
    }

    // MARK: - All of them

    /// Waits for a descriptor after ending the least needed connection.
    func waitForRoom() async {
        let closed = change { state in
            (state.admission.makeRoom(at: .now), state.nextClose)
        }
        // Files are closed too, without notification.
        let timer = loop.after(.seconds(1)) { closed.send() }
        await closed.wait()
        loop.cancel(timer)
    }

    /// Closes idle connections, and waits for current requests, up to their time limit.
    func drain() async {
        let drained = StopSignal()
        change { state in
            state.drained = drained
            return state.admission.stop(at: .now)
        }
        let timer = loop.after(limits.stopTimeout) { drained.send() }
        await drained.wait()
        loop.cancel(timer)
    }

    private func change(_ body: (inout State) -> [AdmissionControl.Closing]) {
        change { state in (body(&state), ()) }
    }

    @discardableResult
    private func change<Result>(
        _ body: (inout State) -> ([AdmissionControl.Closing], Result)
    ) -> Result {
        let (result, ended, mustSweep, drained) = state.withLock { state in
            let (closings, result) = body(&state)
            let ended = closings.compactMap { closing in
                state.activities[closing.id].map { ($0, closing.reason) }
            }
            let mustSweep = !state.isSweeping && state.admission.hasDeadlines
            if mustSweep { state.isSweeping = true }
            let isDrained = state.admission.isStopping && state.admission.requestCount == 0
            return (result, ended, mustSweep, isDrained ? state.drained : nil)
        }
        for (activity, reason) in ended { activity.end(reason) }
        if mustSweep { scheduleSweep() }
        drained?.send()
        return result
    }

    private func scheduleSweep() {
        loop.after(sweepInterval) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let needsSweep = change { state in
            let closings = state.admission.sweep(at: .now)
            let needsSweep = state.admission.hasDeadlines
            state.isSweeping = needsSweep
            return (closings, needsSweep)
        }
        if needsSweep { scheduleSweep() }
    }
}
