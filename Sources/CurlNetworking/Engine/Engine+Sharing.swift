import FoundationEssentials
import Synchronization

// Multiplexed connections (HTTP/2). `ConnectionSharing` decides who opens one, `HTTPVersionPolicy` which
// version of HTTP is offered.

/// An attempt's HTTP version, and its part in sharing a connection.
struct AttemptHTTP {
    var version = HTTPVersionChoice.http1_1
    /// Whether it may open a connection, or only use an existing one.
    var mayOpenConnection = true
    /// Whether it has called `sharing.join` and not `leave`.
    var hasJoined = false
    /// Whether it failed because it would have opened a connection without permission.
    var lacksConnection = false
    /// Whether it waits for the first connection to its host, which another transfer opens.
    var awaitsFirstConnection = false
    /// Whether its connection carries other requests at the same time.
    var isMultiplexed = false
    /// Whether the request has `Expect: 100-continue`.
    var expectsContinue = false
    /// The attempt must not use a connection opened before this time. libcurl limits the age of idle
    /// connections only, so the pre-request callback has to reject older ones.
    var connectionCut: UInt64?
    /// Whether such a connection was rejected.
    var wasOfferedOldConnection = false
    /// Whether the others were notified about the connection.
    var isShared = false
    /// Whether libcurl must not deliver the response now.
    var isReceivingPaused = false
    /// Why the server did not process the request, if it has said so.
    var refusal: Attempt.ConnectionLoss?
}

extension Engine {
    enum Admission {
        case admitted
        /// It waits for a connection that another transfer opens.
        case waiting
    }

    /// Decides whether a transfer may go to libcurl now.
    func admit(_ transfer: Transfer) throws(URLError) -> Admission {
        let version = try transfer.makeVersionPolicy().choose()
        transfer.attempt.http.version = version
        guard version.mayMultiplex else { return .admitted }
        let place = transfer.slot.place
        let limit = transfer.connectionLimit
        let mayShare = transfer.isSecure && !transfer.speaksOnlyHTTP1
        let needsNew = transfer.needsNewConnection
        let role = sharing.join(
            transfer.id, place, limit: limit, opensAtOnce: mayShare ? 1 : limit,
            needsNew: needsNew)
        transfer.attempt.http.hasJoined = true
        transfer.attempt.http.mayOpenConnection = role == .opener
        guard role == .waiting else { return .admitted }
        transfer.enter(.awaitingConnection)
        updateTimersOfWaiting([transfer.id], at: place)
        if needsNew { wake(sharing.passOn(transfer.id, at: place)) }
        return .waiting
    }

    /// Transfers waiting for room on an open connection are queued without a timer. Transfers waiting for a
    /// first connection time out as if they were connecting, unless a trust decision is pending.
    private func updateTimersOfWaiting(
        _ ids: [ObjectIdentifier], at place: ConnectionSlots<ObjectIdentifier>.Place
    ) {
        guard !ids.isEmpty else { return }
        let isTimed =
            !sharing.isInUse(place)
            && !sharing.openers(at: place).contains { transfers[$0]?.isAsking == true }
        for id in ids {
            guard let transfer = transfers[id] else { continue }
            transfer.attempt.http.awaitsFirstConnection = isTimed
            updateTimers(of: transfer)
        }
    }

    /// Called when a question to a transfer's delegate begins or ends. Transfers waiting for its connection
    /// do not time out meanwhile.
    func questionChanged(of transfer: Transfer) {
        guard transfer.attempt.http.hasJoined, transfer.state.isConnecting else { return }
        let place = transfer.slot.place
        updateTimersOfWaiting(sharing.waiting(at: place), at: place)
    }

    /// Lets other transfers use a connection as soon as that is possible. Without TLS, libcurl requires a
    /// response first.
    func shareConnection(of transfer: Transfer) {
        let attempt = transfer.attempt
        let http = attempt.http
        guard http.version.mayMultiplex, !http.isShared, attempt.noted.isConnected,
            transfer.isSecure || attempt.timings.isReused || attempt.head.isComplete
        else { return }
        attempt.http.isShared = true
        let place = transfer.slot.place
        guard http.isMultiplexed, let connection = transfer.attempt.noted.connection else {
            // A name can resolve to servers of both kinds.
            if !sharing.isMultiplexed(place) {
                transfer.task.session.noteOrigin(place.origin, speaksOnlyHTTP1: true)
            }
            return wake(sharing.connectedAlone(transfer.id, at: place))
        }
        transfer.task.session.noteOrigin(place.origin, speaksOnlyHTTP1: false)
        wake(sharing.connected(transfer.id, on: connection, at: place))
        let maximum = limit(for: transfer)
        for id in slots.admit(at: place, limit: maximum) {
            giveSlot(at: place, limit: maximum, to: id)
        }
    }

    /// Called when a transfer that may not open a connection has found none with room.
    func rejoinSharing(_ transfer: Transfer) {
        sharing.foundNoRoom(at: transfer.slot.place)
        connectAgain(transfer)
    }

    /// Retries on a new connection: libcurl has offered one from before the session's last `flush` or
    /// `reset`, and would offer it again.
    func replaceOldConnection(_ transfer: Transfer) {
        transfer.history.wasOfferedOldConnection = true
        transfer.history.needsFreshConnection = true
        transfer.attempt.timings.requestStart = 0
        connectAgain(transfer)
    }

    /// Called when a transfer no longer uses, opens or waits for a connection.
    func leaveSharing(_ transfer: Transfer) {
        let attempt = transfer.attempt
        guard attempt.http.hasJoined else { return }
        attempt.http.hasJoined = false
        let isEnded = attempt.result != nil || transfer.timers.deadline.map { $0 <= now } ?? false
        wake(
            sharing.leave(
                transfer.id, transfer.slot.place,
                hasFailed: isEnded && !attempt.noted.isConnected && !attempt.http.lacksConnection))
        // The delegate of the next opener has not been asked yet.
        if transfer.isAsking {
            let place = transfer.slot.place
            updateTimersOfWaiting(sharing.waiting(at: place), at: place)
        }
    }

    /// Retries over HTTP/1.1, as the server requires. These requests have their own queue.
    func downgrade(_ transfer: Transfer) {
        closeAttempt(of: transfer)
        releaseSlot(of: transfer)
        transfer.history.needsHTTP1 = true
        transfer.makeAttempt()
        enqueue(transfer)
    }

    /// Makes libcurl send the reset of a cancelled stream, which it does when another stream of the
    /// connection runs.
    func sendReset(of attempt: Attempt) {
        guard attempt.http.isMultiplexed, LibraryDefects.current.leavesResetUnsent,
            let connection = attempt.noted.connection
        else { return }
        for other in transfers.values where other.attempt.noted.connection == connection {
            guard other.state.isExchanging, other.attempt !== attempt else { continue }
            applyPauses(to: other)
        }
    }

    private func wake(_ ids: [ObjectIdentifier]) {
        for id in ids { transfers[id]?.setNeedsProcessing() }
    }

    /// How many requests a session may have at a host at a time.
    func limit(for transfer: Transfer) -> Int {
        let limit = transfer.connectionLimit
        guard sharing.isMultiplexed(transfer.slot.place) else { return limit }
        return min(limit, 1 << 20) * Self.streamsPerConnection
    }

    /// The most streams libcurl puts on one connection (CURLMOPT_MAX_CONCURRENT_STREAMS), and the least a
    /// server should allow (RFC 9113 §6.5.2).
    private static var streamsPerConnection: Int { 100 }
}

extension Transfer {
    fileprivate func makeVersionPolicy() -> HTTPVersionPolicy {
        var policy = HTTPVersionPolicy(
            library: .current, preference: settings.httpVersion, isSecure: isSecure)
        policy.hasProxy = request.url.flatMap { settings.proxy(for: $0) } != nil
        policy.isWebSocket = webSocket != nil
        policy.isDowngraded = history.needsHTTP1
        policy.mayEndInTrailers = source.mayEndInTrailers
        policy.assumesHTTP3 = request.assumesHTTP3Capable
        if policy.assumesHTTP3 || policy.preference == .http3, let url = request.url {
            policy.mayBeAsked = mayBeAsked(about: url)
        }
        return policy
    }

    fileprivate var isSecure: Bool { request.url?.scheme?.lowercased() == "https" }

    /// Whether it must not use existing connections: they are from before a `reset`, or were lost repeatedly.
    fileprivate var needsNewConnection: Bool {
        history.wasOfferedOldConnection || history.lostConnections > 3
            || (!checksAgeOfConnections && task.session.usableConnections == .new)
    }

    /// Whether its server is known to choose HTTP/1.1, so that waiting for a shared connection is pointless.
    fileprivate var speaksOnlyHTTP1: Bool {
        task.session.http1Origins.withLock { $0.contains(slot.place.origin) }
    }

    /// Whether similar requests could share a connection.
    private var mayMultiplexOtherwise: Bool {
        var policy = makeVersionPolicy()
        policy.isDowngraded = false
        policy.mayEndInTrailers = false
        return (try? policy.choose())?.mayMultiplex == true
    }

    /// The queue for a connection that it belongs to: requests that need HTTP/1.1 have a separate one.
    var ownPlace: ConnectionSlots<ObjectIdentifier>.Place {
        var place = slot.place
        place.isForHTTP1 =
            (history.needsHTTP1 || source.mayEndInTrailers) && mayMultiplexOtherwise
        return place
    }
}

extension BodySource {
    fileprivate var mayEndInTrailers: Bool {
        if case .produced(let producer) = self { producer.byteCount == nil } else { false }
    }
}

extension URLSession {
    /// Remembers the version that a server has chosen.
    fileprivate func noteOrigin(_ origin: Origin, speaksOnlyHTTP1: Bool) {
        http1Origins.withLock { origins in
            guard speaksOnlyHTTP1 else { return _ = origins.remove(origin) }
            // Limits the size; forgetting an origin only costs a short wait.
            if origins.count >= 1024 { origins.removeAll() }
            origins.insert(origin)
        }
    }
}
