/// A request for a route.
struct Request {
    let head: RequestHead
    let body: RequestBody
    /// Observed by routes that take long and send nothing.
    let peer: Peer
    let activity: ConnectionActivity
}

/// Serves the requests of one connection, one after another.
///
/// A request is checked by its head. A rejection is sent at once: nothing more of the request is read,
/// and the connection is closed once the peer had time to read the response.
struct HTTPService: Sendable {
    let loop: EventLoop
    let log: ServerLog
    var router: Router
    let limits: ConnectionLimits

    /// Serves until the client closes the connection, or an error requires closing it.
    func serve(descriptor: Int32, activity: ConnectionActivity) async {
        let connection = Connection(descriptor: descriptor, loop: loop, activity: activity)
        let peer = Peer(descriptor: descriptor, loop: loop)
        do {
            while let head = try await connection.readHead() {
                guard try await serve(head, connection, peer) == .another else {
                    await peer.linger(activity, atMost: limits.lingerByteCount)
                    return
                }
                activity.enter(.idle)
            }
        } catch {
            guard let refusal = Self.refusal(for: error, connection) else { return }
            activity.enter(.lingering)
            try? await connection.send(refusal, to: nil, keepsAlive: false)
            await peer.linger(activity, atMost: limits.lingerByteCount)
        }
    }

    /// What may follow a request on its connection.
    private enum Next {
        case another
        case close
    }

    private func serve(
        _ head: RequestHead, _ connection: Connection, _ peer: Peer
    ) async throws -> Next {
        let activity = connection.activity
        let framing: RequestHead.Framing
        let call: Router.Call
        do {
            framing = try head.framing()
            call = try router.judge(head, framing)
            if call.isAuthorized, activity.authenticate() == .busy { throw Refusal.busy }
            if activity.beginRequest() == .busy { throw Refusal.busy }
        } catch {
            return try await refuse(head, try answer(to: error), connection)
        }
        let body = RequestBody(head, framing, connection)
        let response = try await router.answer(
            call, Request(head: head, body: body, peer: peer, activity: activity))
        let status = response.status
        body.skipReceived()
        // A refusal is sent before the rest of the body is read: on a slow connection that may take minutes.
        let isTold = status >= 400 && !body.isRead
        if !isTold, !activity.isServerStopping { try await body.skip() }
        let keepsAlive =
            (body.isRead || isTold && body.canBeSkipped) && head.wantsKeepAlive
            && activity.isAuthenticated && !activity.isServerStopping && !Task.isCancelled
        activity.enter(.sendingAnswer)
        try await connection.send(response, to: head, keepsAlive: keepsAlive)
        log("\(status) \(head.method) \(head.path)")
        guard keepsAlive, isTold else { return keepsAlive ? .another : .close }
        // The client may send it all the same, or close the connection: there is nothing to answer any more.
        do { try await body.skip() } catch { return .close }
        return body.isRead ? .another : .close
    }

    private func answer(to error: any Error) throws -> Response {
        if let failure = error as? RequestHead.Failure { return Self.response(to: failure) }
        return try router.answer(to: error)
    }

    /// Rejects a request by its head.
    ///
    /// The connection stays usable only if it is authenticated and nothing is left to read.
    private func refuse(
        _ head: RequestHead, _ response: consuming Response, _ connection: Connection
    ) async throws -> Next {
        let activity = connection.activity
        var keepsAlive = false
        if activity.isAuthenticated, head.wantsKeepAlive, !activity.isServerStopping,
            let framing = try? head.framing()
        {
            let body = RequestBody(head, framing, connection)
            body.skipReceived()
            keepsAlive = body.isRead
        }
        let status = response.status
        activity.enter(.sendingAnswer)
        try await connection.send(response, to: head, keepsAlive: keepsAlive)
        log("\(status) \(head.method) \(head.path)")
        return keepsAlive ? .another : .close
    }

    /// The final response on a connection that must close; nil when the peer is gone.
    private static func refusal(for error: any Error, _ connection: Connection) -> Response? {
        switch error {
        case HeadReader.Failure.tooLarge:
            return .text(431, "The request's header is too large.")
        case HeadReader.Failure.malformed(let failure):
            return response(to: failure)
        case RequestBodyReader.Failure.malformedChunk where connection.hasUnfinishedRequest:
            return .text(400, "The request's body is malformed.")
        case Connection.Failure.ended(.tooSlow) where connection.hasUnfinishedRequest:
            return .text(408, "The request took too long to arrive.")
        case Connection.Failure.ended(.crowded) where connection.expectsAnswer:
            return .busy()
        default:
            return nil
        }
    }

    private static func response(to failure: RequestHead.Failure) -> Response {
        switch failure {
        case .malformed(let reason): .text(400, "Bad request: \(reason).")
        case .tooManyHeaders: .text(431, "The request has too many headers.")
        case .unknownVersion: .text(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
        }
    }
}

extension Response {
    /// 503: no capacity at the moment.
    static func busy() -> Response {
        var response = text(503, "The club's server is busy. Try again in a moment.")
        response.headers.append(("Retry-After", String(ConnectionLimits.retryAfter)))
        return response
    }
}

extension Connection {
    /// Sends a response; for HEAD without its body.
    func send(
        _ response: consuming Response, to head: RequestHead?, keepsAlive: Bool
    ) async throws {
        beginAnswer()
        let hasBody = head?.method != "HEAD" && response.status != 304
        let status = response.status
        let headers = response.headers
        func headBytes(_ length: Int64) -> [UInt8] {
            Response(status: status, headers: headers)
                .head(length: status == 304 ? nil : length, keepsAlive: keepsAlive)
        }
        switch consume response.body {
        case .none:
            try await write(headBytes(0))
        case .bytes(let bytes):
            // In one write: two small ones would wait for each other's acknowledgement.
            try await write(headBytes(Int64(bytes.count)) + (hasBody ? bytes : []))
        case .file(let file, let range):
            let head = headBytes(range.upperBound - range.lowerBound)
            try await write(head, moreFollows: hasBody && !range.isEmpty)
            if hasBody { try await write(file, range) }
        }
    }
}
