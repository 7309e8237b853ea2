/// A request on its way to a route.
struct Request {
    let head: RequestHead
    let body: RequestBody
    /// To be watched by routes that take long and send nothing.
    let peer: Peer
}

/// Answers the requests of one connection, one after the other.
struct HTTPService: Sendable {
    let loop: EventLoop
    let log: ServerLog
    let router: Router

    /// How long a client may go on sending what nobody reads after its last answer.
    static let lingering = Duration.seconds(20)

    /// Serves until the client closes, or until something is so wrong that it must be closed.
    func serve(descriptor: Int32, activity: ConnectionActivity) async {
        let connection = Connection(descriptor: descriptor, loop: loop, activity: activity)
        let peer = Peer(descriptor: descriptor, loop: loop)
        do {
            while let head = try await connection.readHead() {
                guard try await serve(head, connection, peer) else {
                    await peer.linger(for: Self.lingering)
                    return
                }
            }
        } catch Connection.Failure.headTooLarge {
            await refuse(.text(431, "The request's header is too large."), connection, peer)
        } catch Connection.Failure.malformed(let failure) {
            await refuse(Self.response(to: failure), connection, peer)
        } catch {
            // The client has gone, or the server is stopping: nobody is left to tell.
        }
    }

    /// - Returns: Whether another request may follow.
    private func serve(
        _ head: RequestHead, _ connection: Connection, _ peer: Peer
    ) async throws -> Bool {
        let body: RequestBody
        do throws(RequestHead.Failure) {
            body = try RequestBody(head, connection)
        } catch {
            await send(Self.response(to: error), to: head, on: connection, keepsAlive: false)
            return false
        }
        let response: Response
        do {
            response = try await router.answer(Request(head: head, body: body, peer: peer))
        } catch Connection.Failure.malformedChunk {
            let refusal = Response.text(400, "The request's body is malformed.")
            await send(refusal, to: head, on: connection, keepsAlive: false)
            return false
        }
        let status = response.status
        let keepsAlive = try await body.skip() && head.wantsKeepAlive && !Task.isCancelled
        try await connection.send(response, to: head, keepsAlive: keepsAlive)
        log("\(status) \(head.method) \(head.path)")
        return keepsAlive
    }

    private func refuse(
        _ response: consuming Response, _ connection: Connection, _ peer: Peer
    ) async {
        try? await connection.send(response, to: nil, keepsAlive: false)
        await peer.linger(for: Self.lingering)
    }

    private func send(
        _ response: consuming Response, to head: RequestHead, on connection: Connection,
        keepsAlive: Bool
    ) async {
        try? await connection.send(response, to: head, keepsAlive: keepsAlive)
    }

    private static func response(to failure: RequestHead.Failure) -> Response {
        switch failure {
        case .malformed(let reason): .text(400, "Bad request: \(reason).")
        case .tooManyHeaders: .text(431, "The request has too many headers.")
        case .unknownVersion: .text(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
        }
    }
}

extension Connection {
    /// Sends an answer; to HEAD without its body.
    func send(
        _ response: consuming Response, to head: RequestHead?, keepsAlive: Bool
    ) async throws {
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
            // In one piece: two small writes would wait for each other's acknowledgement.
            try await write(headBytes(Int64(bytes.count)) + (hasBody ? bytes : []))
        case .file(let file, let range):
            let head = headBytes(range.upperBound - range.lowerBound)
            try await write(head, moreFollows: hasBody && !range.isEmpty)
            if hasBody { try await write(file, range) }
        }
    }
}
