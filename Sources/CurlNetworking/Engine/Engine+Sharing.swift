import FoundationEssentials
import Synchronization

// Connections that carry many requests at a time (HTTP/2). Who opens one is decided by `ConnectionSharing`, which
// version of HTTP is offered by `HTTPVersionPolicy`.

/// What an attempt has to do with the version of HTTP.
struct AttemptHTTP {
    var version = HTTPVersionChoice.http1_1
    /// Whether it may open a connection, or only use one that is there.
    var mayOpenConnection = true
    /// Whether it has joined those who share connections, and not left them.
    var hasJoined = false
    /// Whether it came to open a connection that it may not open.
    var lacksConnection = false
    /// Whether it waits while another transfer connects, and no connection is there yet.
    var awaitsFirstConnection = false
    /// Whether its connection carries other requests at the same time.
    var isMultiplexed = false
    /// libcurl takes a connection that carries other requests however old it is: it is to be refused when it is from
    /// before this moment.
    var connectionCut: UInt64?
    /// Whether it was given such a connection.
    var hasMetOldConnection = false
    /// Whether others were informed about the connection.
    var isShared = false
    /// Whether nothing of the answer is to be delivered now.
    var isReceivingPaused = false
    /// Why the server has not processed the request, if libcurl has said so.
    var refusal: Attempt.ConnectionLoss?
}

extension Engine {
    enum Admission {
        case admitted
        /// It waits for a connection that another transfer opens.
        case waiting
    }

    /// Whether a transfer goes to libcurl now.
    func admit(_ transfer: Transfer) throws(URLError) -> Admission {
        let version = try transfer.makeVersionPolicy().choose()
        transfer.attempt.http.version = version
        guard version.mayMultiplex else { return .admitted }
        let place = transfer.slot.place
        let limit = transfer.connectionLimit
        let mayShare = transfer.isSecure && !transfer.speaksHTTP1Alone
        let needsNew = transfer.needsConnectionOfItsOwn
        let role = sharing.join(
            transfer.id, place, limit: limit, opensAtOnce: mayShare ? 1 : limit,
            needsNew: needsNew)
        transfer.attempt.http.hasJoined = true
        transfer.attempt.http.mayOpenConnection = role == .opener
        guard role == .waiting else { return .admitted }
        transfer.state = .awaitingConnection
        updateTimersOfWaiting([transfer.id], at: place)
        if needsNew { wake(sharing.passOn(transfer.id, at: place)) }
        return .waiting
    }

    /// Those that wait for room on a connection that is there are in a queue, where no time is counted. But nobody waits
    /// for another's attempt to connect longer than they would try themselves, except while somebody is asked about the
    /// server.
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

    /// A question to a transfer's delegate begins or ends: if it is about a connection that others wait for, they wait
    /// for the answer, too.
    func questionChanged(of transfer: Transfer) {
        guard transfer.attempt.http.hasJoined, transfer.state.isConnecting else { return }
        let place = transfer.slot.place
        updateTimersOfWaiting(sharing.waiting(at: place), at: place)
    }

    /// Lets others use the connection of a transfer, once that is possible: without TLS libcurl wants to see an
    /// answer first.
    func shareConnection(of transfer: Transfer) {
        let attempt = transfer.attempt
        let http = attempt.http
        guard http.version.mayMultiplex, !http.isShared, attempt.noted.isConnected,
            transfer.isSecure || attempt.timings.isReused || attempt.head.isComplete
        else { return }
        attempt.http.isShared = true
        let place = transfer.slot.place
        guard http.isMultiplexed, let connection = transfer.attempt.noted.connection else {
            // Behind one name there may be servers of both kinds.
            if !sharing.isMultiplexed(place) {
                transfer.task.session.noteOrigin(place.origin, speaksHTTP1Alone: true)
            }
            return wake(sharing.connectedAlone(transfer.id, at: place))
        }
        transfer.task.session.noteOrigin(place.origin, speaksHTTP1Alone: false)
        wake(sharing.connected(transfer.id, on: connection, at: place))
        for id in slots.admit(at: place, limit: limit(for: transfer)) {
            guard let next = transfers[id] else { continue }
            next.slot.isTaken = true
            openBody(of: next)
        }
    }

    /// A transfer that may not open a connection has found none with room for it.
    func joinAgain(_ transfer: Transfer) {
        sharing.foundNoRoom(at: transfer.slot.place)
        connectAgain(transfer)
    }

    /// A transfer was given a connection from before the session's last `flush` or `reset`: it opens one. libcurl would
    /// offer the old one again.
    func leaveOldConnection(_ transfer: Transfer) {
        transfer.history.meetsOldConnections = true
        transfer.history.needsFreshConnection = true
        transfer.attempt.timings.requestStart = 0
        connectAgain(transfer)
    }

    /// A transfer does not use, open or wait for a connection any more.
    func leaveConnection(_ transfer: Transfer) {
        let attempt = transfer.attempt
        guard attempt.http.hasJoined else { return }
        attempt.http.hasJoined = false
        let isEnded = attempt.result != nil || transfer.timers.deadline.map { $0 <= now } ?? false
        wake(
            sharing.leave(
                transfer.id, transfer.slot.place,
                hasFailed: isEnded && !attempt.noted.isConnected && !attempt.http.lacksConnection))
        // The one that opens the next is not asked yet.
        if transfer.isAsking {
            let place = transfer.slot.place
            updateTimersOfWaiting(sharing.waiting(at: place), at: place)
        }
    }

    /// The server wants the request over HTTP/1.1, which has a line of its own for a connection.
    func downgrade(_ transfer: Transfer) {
        closeAttempt(of: transfer)
        giveUpConnection(of: transfer)
        transfer.history.needsHTTP1 = true
        transfer.makeAttempt()
        enqueue(transfer)
    }

    /// Has libcurl send the reset of a stream that was given up: it does when another stream of the connection runs.
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

    /// How many tasks of a session may have a request at a host at a time.
    func limit(for transfer: Transfer) -> Int {
        let limit = transfer.connectionLimit
        guard sharing.isMultiplexed(transfer.slot.place) else { return limit }
        return min(limit, 1 << 20) * Self.streamsPerConnection
    }

    /// What libcurl puts on one connection at most (CURLMOPT_MAX_CONCURRENT_STREAMS), and what servers are to take at
    /// least (RFC 9113 §6.5.2).
    private static var streamsPerConnection: Int { 100 }
}

extension Transfer {
    fileprivate func makeVersionPolicy() -> HTTPVersionPolicy {
        var policy = HTTPVersionPolicy(
            library: .current, preference: settings.httpVersion, isSecure: isSecure)
        policy.hasProxy = request.url.flatMap { settings.proxy(for: $0) } != nil
        policy.isWebSocket = isWebSocket
        policy.isDowngraded = history.needsHTTP1
        policy.mayEndInTrailers = source.mayEndInTrailers
        policy.assumesHTTP3 = request.assumesHTTP3Capable
        if policy.assumesHTTP3 || policy.preference == .http3, let url = request.url {
            policy.mayBeAsked = mayBeAsked(about: url)
        }
        return policy
    }

    fileprivate var isSecure: Bool { request.url?.scheme?.lowercased() == "https" }

    /// Whether no connection that is there will do: those of before a `reset`, or that were lost over it again and again.
    fileprivate var needsConnectionOfItsOwn: Bool {
        history.meetsOldConnections || history.lostConnections > 3
            || (!checksAgeOfConnections && task.session.usableConnections == .new)
    }

    /// Whether its server was seen to choose HTTP/1.1: then nothing is gained by waiting for another's connection.
    fileprivate var speaksHTTP1Alone: Bool {
        task.session.http1Origins.withLock { $0.contains(slot.place.origin) }
    }

    /// Whether other requests like it could share a connection.
    private var mayMultiplexOtherwise: Bool {
        var policy = makeVersionPolicy()
        policy.isDowngraded = false
        policy.mayEndInTrailers = false
        return (try? policy.choose())?.mayMultiplex == true
    }

    /// The line for a connection in which it stands: what needs HTTP/1.1 shares no connection.
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
    /// Notes what a server has chosen.
    fileprivate func noteOrigin(_ origin: Origin, speaksHTTP1Alone: Bool) {
        http1Origins.withLock { origins in
            guard speaksHTTP1Alone else { return _ = origins.remove(origin) }
            // Forgetting them costs a moment each; a session that meets thousands must not grow for it.
            if origins.count >= 1024 { origins.removeAll() }
            origins.insert(origin)
        }
    }
}
