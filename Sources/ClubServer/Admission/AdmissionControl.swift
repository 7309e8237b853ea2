/// The phase of a connection.
enum ConnectionPhase: Hashable, Sendable {
    /// Also a new connection before its first request.
    case readingHead
    case readingBody
    case working
    case sendingAnswer
    /// Waiting for a change, or for the peer to disconnect.
    case longPolling
    /// Between two requests.
    case idle
    /// The last response is sent; the connection stays open briefly, so that the peer can read it.
    case lingering
}

/// Why a connection is closed.
enum CloseReason: Hashable, Sendable {
    /// Reported to the peer, followed by lingering.
    case tooSlow, crowded
    /// Immediate.
    case lingeredLongEnough, noDescriptors, stopping

    var isImmediate: Bool {
        switch self {
        case .tooSlow, .crowded: false
        case .lingeredLongEnough, .noDescriptors, .stopping: true
        }
    }
}

/// Decides which connections are served and which are closed, by ``ConnectionLimits``.
///
/// A value: it receives events with their time, and returns the connections to close. It performs
/// no I/O.
struct AdmissionControl {
    typealias ID = UInt64

    struct Closing: Hashable {
        let id: ID
        let reason: CloseReason
    }

    let limits: ConnectionLimits
    private var connections: [ID: Entry] = [:]
    private var tally = Tally()
    private var anonymousOrder: [PeerIdentity: ArrivalOrder] = [:]
    private var lingeringOrder = ArrivalOrder()
    private var lastID: ID = 0
    private(set) var isStopping = false

    /// An authenticated connection without progress for this long is closed if its place is needed.
    static let stalledAfter = Duration.seconds(10)

    init(limits: ConnectionLimits) { self.limits = limits }

    fileprivate struct Entry {
        let peer: PeerIdentity
        let meter: TransferMeter
        var isAuthenticated = false
        /// Whether it counts as a current request.
        var hasRequest = false
        var phase = ConnectionPhase.readingHead
        /// When the phase began.
        var since: ContinuousClock.Instant
        /// The time and byte count since which its progress is measured.
        var countedSince: ContinuousClock.Instant
        var countedFrom = 0
        /// It was asked to close; its task's further events have no effect.
        var isEnding = false
        /// It is closed as soon as its task notices, and no longer counts.
        var isGone = false

        var isLingering: Bool { phase == .lingering && !isGone }
        /// Not authenticated yet. Once false it stays so.
        var isAnonymous: Bool { !isAuthenticated && !isEnding && phase != .lingering }
    }

    /// Counters. Every change of a connection updates them with ``add(_:_:)`` twice.
    fileprivate struct Tally {
        var anonymous = 0
        var anonymousOfPeer: [PeerIdentity: Int] = [:]
        var authenticated = 0
        var longPolls = 0
        var lingering = 0
        var requests = 0
        var requestsOfPeer: [PeerIdentity: Int] = [:]

        mutating func add(_ entry: Entry, _ count: Int) {
            if entry.isGone { return }
            if entry.hasRequest {
                requests += count
                Self.add(count, to: &requestsOfPeer, entry.peer)
            }
            switch entry.phase {
            case .lingering: lingering += count
            case .longPolling: longPolls += count
            default:
                if entry.isAuthenticated {
                    authenticated += count
                } else {
                    anonymous += count
                    Self.add(count, to: &anonymousOfPeer, entry.peer)
                }
            }
        }

        private static func add(
            _ count: Int, to counts: inout [PeerIdentity: Int], _ peer: PeerIdentity
        ) {
            let sum = counts[peer, default: 0] + count
            counts[peer] = sum == 0 ? nil : sum
        }
    }
}

// MARK: - What happens

extension AdmissionControl {
    /// Admits a new connection, and closes an unauthenticated one if there are too many.
    mutating func admit(
        _ peer: PeerIdentity, _ meter: TransferMeter, at now: ContinuousClock.Instant
    ) -> (id: ID, closings: [Closing]) {
        lastID += 1
        let entry = Entry(peer: peer, meter: meter, since: now, countedSince: now)
        connections[lastID] = entry
        tally.add(entry, 1)
        anonymousOrder[peer, default: ArrivalOrder()].append(lastID)
        var closings: [Closing] = []
        if isStopping {
            closings.append(end(lastID, .stopping, at: now))
        } else if tally.anonymousOfPeer[peer, default: 0] > limits.anonymousPerPeer {
            closings += endOldestAnonymous(of: peer, except: lastID, .crowded, at: now)
        } else if tally.anonymous > limits.anonymous {
            closings += endOldestAnonymous(
                of: mostCrowdingPeer, except: lastID, .crowded, at: now)
        }
        return (lastID, closings + endSurplusLingering(at: now))
    }

    /// The connection is authenticated: it gets one of the reserved places.
    ///
    /// - Returns: nil when all of them are busy.
    mutating func authenticate(
        _ id: ID, at now: ContinuousClock.Instant
    ) -> [Closing]? {
        guard let entry = connections[id], !entry.isAuthenticated, !entry.isEnding else {
            return []
        }
        var closings: [Closing] = []
        if tally.authenticated >= limits.authenticated {
            guard let victim = leastBusyAuthenticated(at: now) else { return nil }
            closings.append(end(victim, .crowded, at: now))
        }
        update(id) { $0.isAuthenticated = true }
        return closings + endSurplusLingering(at: now)
    }

    /// Whether a request can be processed; if so, it is counted.
    mutating func beginRequest(_ id: ID) -> Admission {
        guard let entry = connections[id], !entry.isEnding else { return .busy }
        if entry.hasRequest { return .admitted }
        guard tally.requests < limits.requests,
            tally.requestsOfPeer[entry.peer, default: 0] < limits.requestsPerPeer
        else { return .busy }
        update(id) { $0.hasRequest = true }
        return .admitted
    }

    /// A request turns out to be a long poll: it moves to the limit for those.
    mutating func beginLongPoll(_ id: ID, at now: ContinuousClock.Instant) -> Admission {
        guard let entry = connections[id], !entry.isEnding, !isStopping,
            tally.longPolls < limits.longPolls
        else { return .busy }
        update(id) {
            $0.hasRequest = false
            // Proven by its cursor, which only authenticated clients get.
            $0.isAuthenticated = true
            $0.phase = .longPolling
            $0.since = now
        }
        return .admitted
    }

    enum Admission { case admitted, busy }

    mutating func enter(
        _ phase: ConnectionPhase, _ id: ID, at now: ContinuousClock.Instant
    ) -> [Closing] {
        guard let entry = connections[id], !entry.isEnding, entry.phase != phase else { return [] }
        update(id) {
            $0.phase = phase
            $0.since = now
            $0.countedSince = now
            $0.countedFrom = $0.meter.byteCount
            if phase == .idle || phase == .lingering { $0.hasRequest = false }
        }
        guard phase == .lingering else { return [] }
        lingeringOrder.append(id)
        return endSurplusLingering(at: now)
    }

    mutating func remove(_ id: ID) {
        guard let entry = connections.removeValue(forKey: id) else { return }
        tally.add(entry, -1)
        let peer = entry.peer
        if let live = tally.anonymousOfPeer[peer] {
            anonymousOrder[peer]?.compact(live: live) { [connections] in
                connections[$0]?.isAnonymous == true
            }
        } else {
            anonymousOrder[peer] = nil
        }
        lingeringOrder.compact(live: tally.lingering) { [connections] in
            connections[$0]?.isLingering == true
        }
    }

    /// Closes every connection without a current request; the others close after theirs.
    mutating func stop(at now: ContinuousClock.Instant) -> [Closing] {
        isStopping = true
        return connections.filter { !$0.value.hasRequest && !$0.value.isGone }.keys
            .map { end($0, .stopping, at: now) }
    }

    /// Closes the least needed connection, for its descriptor.
    mutating func makeRoom(at now: ContinuousClock.Instant) -> [Closing] {
        if let oldest = oldestLingering() {
            return [end(oldest, .noDescriptors, at: now)]
        }
        let anonymous = endOldestAnonymous(
            of: mostCrowdingPeer, except: nil, .noDescriptors, at: now)
        if !anonymous.isEmpty { return anonymous }
        guard let idle = oldest(where: { $0.phase == .idle }) else { return [] }
        return [end(idle, .noDescriptors, at: now)]
    }

    var count: Int { connections.count }
    var requestCount: Int { tally.requests }
}

// MARK: - Deadlines

extension AdmissionControl {
    /// Whether any connection has a deadline.
    var hasDeadlines: Bool { connections.values.contains { deadline(of: $0) != nil } }

    /// Ends connections that have missed a deadline.
    mutating func sweep(at now: ContinuousClock.Instant) -> [Closing] {
        var closings: [Closing] = []
        for (id, entry) in connections {
            guard let deadline = deadline(of: entry), deadline <= now else { continue }
            if entry.phase == .lingering {
                closings.append(end(id, .lingeredLongEnough, at: now))
            } else if isMeasured(entry),
                entry.meter.byteCount - entry.countedFrom >= limits.leastByteCount
            {
                connections[id]?.countedSince = now
                connections[id]?.countedFrom = entry.meter.byteCount
            } else {
                closings.append(end(id, .tooSlow, at: now))
            }
        }
        return closings + endSurplusLingering(at: now)
    }

    private func deadline(of entry: Entry) -> ContinuousClock.Instant? {
        if entry.isGone { return nil }
        switch entry.phase {
        case .lingering: return entry.since + limits.lingerTimeout
        case .readingHead: return entry.since + limits.headTimeout
        case .readingBody:
            return isMeasured(entry)
                ? entry.countedSince + limits.bodyInterval : entry.since + limits.headTimeout
        case .sendingAnswer:
            return isMeasured(entry)
                ? entry.countedSince + limits.answerInterval : entry.since + limits.headTimeout
        case .working, .longPolling, .idle: return nil
        }
    }

    /// Whether it may take any time while it makes progress.
    private func isMeasured(_ entry: Entry) -> Bool {
        entry.isAuthenticated && (entry.phase == .readingBody || entry.phase == .sendingAnswer)
    }
}

// MARK: - Who has to go

extension AdmissionControl {
    /// The peer with the most unauthenticated connections; any of several.
    private var mostCrowdingPeer: PeerIdentity? {
        tally.anonymousOfPeer.max { $0.value < $1.value }?.key
    }

    private mutating func endOldestAnonymous(
        of peer: PeerIdentity?, except newcomer: ID?, _ reason: CloseReason,
        at now: ContinuousClock.Instant
    ) -> [Closing] {
        guard let peer,
            let victim = anonymousOrder[peer]?.first(where: { [connections] in
                connections[$0]?.isAnonymous == true
            }), victim != newcomer
        else { return [] }
        return [end(victim, reason, at: now)]
    }

    private mutating func oldestLingering() -> ID? {
        lingeringOrder.first { [connections] in connections[$0]?.isLingering == true }
    }

    private func leastBusyAuthenticated(at now: ContinuousClock.Instant) -> ID? {
        oldest { $0.isAuthenticated && $0.phase == .idle }
            ?? oldest {
                isMeasured($0) && $0.meter.lastMoved < now - Self.stalledAfter
            }
    }

    private mutating func endSurplusLingering(at now: ContinuousClock.Instant) -> [Closing] {
        var closings: [Closing] = []
        while tally.lingering > limits.lingering, let oldest = oldestLingering() {
            closings.append(end(oldest, .lingeredLongEnough, at: now))
        }
        return closings
    }

    private func oldest(where isMeant: (Entry) -> Bool) -> ID? {
        connections.filter { !$0.value.isGone && isMeant($0.value) }
            .min { ($0.value.since, $0.key) < ($1.value.since, $1.key) }?.key
    }

    private mutating func end(
        _ id: ID, _ reason: CloseReason, at now: ContinuousClock.Instant
    ) -> Closing {
        let wasLingering = connections[id]?.phase == .lingering
        update(id) {
            $0.isEnding = true
            $0.hasRequest = false
            $0.isGone = reason.isImmediate
            $0.phase = .lingering
            $0.since = now
        }
        if !wasLingering { lingeringOrder.append(id) }
        return Closing(id: id, reason: reason)
    }

    private mutating func update(_ id: ID, _ change: (inout Entry) -> Void) {
        guard var entry = connections[id] else { return }
        tally.add(entry, -1)
        change(&entry)
        tally.add(entry, 1)
        connections[id] = entry
    }
}
