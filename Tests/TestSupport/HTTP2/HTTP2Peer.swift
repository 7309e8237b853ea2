/// The server's side of one HTTP/2 connection, for a closure of a ``LoopbackServer``; used only by its own thread.
///
/// It acknowledges SETTINGS and PING automatically. What a request asks for it does not read (HPACK is compressed with a
/// table of its own): streams are told apart by their order.
///
/// ```swift
/// let server = try LoopbackServer(talking: HTTP2Peer.serve { peer in
///     guard let stream = peer.nextRequest() else { return }
///     peer.answer(stream, body: "a")
/// })
/// ```
public final class HTTP2Peer {
    private let peer: LoopbackPeer
    private var ended: Set<UInt32> = []
    private var dataCounts: [UInt32: Int] = [:]
    private var resets: [UInt32: UInt32] = [:]
    /// Requests that have come while something else was waited for.
    private var pending: [UInt32] = []
    /// What the client takes yet: in all, on a new stream, and more or less than that on those there are.
    private var connectionWindow = 65_535
    private var firstWindow = 65_535
    private var windows: [UInt32: Int] = [:]

    private init(_ peer: LoopbackPeer) {
        self.peer = peer
    }

    /// - Parameter settings: By number (RFC 9113 §6.5.2): 3 is the limit of streams, 4 a stream's first window.
    public static func serve(
        settings: [(UInt16, UInt32)] = [], _ talk: @escaping @Sendable (HTTP2Peer) -> Void
    ) -> @Sendable (LoopbackPeer) -> Void {
        { connection in
            let peer = HTTP2Peer(connection)
            guard connection.read(24) == Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) else {
                return
            }
            peer.send(
                HTTP2Frame(
                    .settings,
                    settings.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + HTTP2Frame.word($1) }))
            talk(peer)
        }
    }

    /// Whether neither side has closed the connection, as far as is known here.
    public var isOpen: Bool { peer.isOpen }

    /// How many requests have come that ``nextRequest()`` has not returned.
    public var pendingCount: Int { pending.count }

    // MARK: - Reading

    /// The number of the next stream that the client opens; nil when it closes the connection first.
    public func nextRequest() -> UInt32? {
        while pending.isEmpty {
            guard readFrame() != nil else { return nil }
        }
        return pending.removeFirst()
    }

    /// Waits until a request has come to its end.
    public func readToEnd(of stream: UInt32) { read { ended.contains(stream) } }

    /// Waits until the client resets a stream; returns its error code.
    public func readReset(of stream: UInt32) -> UInt32? {
        read { resets[stream] != nil }
        return resets[stream]
    }

    /// Reads until the client closes the connection.
    public func readToClose() { read { false } }

    public func bodyByteCount(of stream: UInt32) -> Int { dataCounts[stream, default: 0] }

    public func wait(for gate: LoopbackGate) { peer.wait(for: gate) }

    private func read(until isReached: () -> Bool) {
        while !isReached() {
            guard readFrame() != nil else { return }
        }
    }

    /// The next frame, taken note of.
    @discardableResult
    public func readFrame() -> HTTP2Frame? {
        guard let head = peer.read(9),
            let payload = peer.read(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2]))
        else { return nil }
        let stream = head[5...8].reduce(0) { $0 << 8 | UInt32($1) }
        let frame = HTTP2Frame(kind: head[3], flags: head[4], stream: stream, payload: payload)
        let isEnd = frame.flags & HTTP2Frame.endStream != 0
        switch HTTP2Frame.Kind(rawValue: frame.kind) {
        case .headers:
            pending.append(stream)
            if isEnd { ended.insert(stream) }
        case .data:
            dataCounts[stream, default: 0] += payload.count
            if isEnd { ended.insert(stream) }
        case .reset:
            resets[stream] = payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        case .windowUpdate:
            let more = Int(payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
            if stream == 0 { connectionWindow += more } else { windows[stream, default: 0] += more }
        case .settings where frame.flags & HTTP2Frame.acknowledgement == 0:
            for start in stride(from: 0, to: payload.count - 5, by: 6) where payload[start + 1] == 4
            {
                firstWindow = Int(payload[start + 2..<start + 6].reduce(0) { $0 << 8 | UInt32($1) })
            }
            send(HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement))
        case .ping where frame.flags & HTTP2Frame.acknowledgement == 0:
            send(HTTP2Frame(.ping, flags: HTTP2Frame.acknowledgement, payload))
        default: break
        }
        return frame
    }

    /// Asks for a sign of life and waits for it: what the client had sent before has been read then.
    public func ping() {
        send(HTTP2Frame(.ping, [UInt8](repeating: 1, count: 8)))
        while let frame = readFrame() {
            let isAnswer = frame.flags & HTTP2Frame.acknowledgement != 0
            if frame.kind == HTTP2Frame.Kind.ping.rawValue, isAnswer { return }
        }
    }

    // MARK: - Sending

    public func send(_ frame: HTTP2Frame) { send(frame.bytes) }

    public func send(_ bytes: [UInt8]) { peer.send(bytes) }

    public func sendHead(
        _ stream: UInt32, _ status: Int = 200, _ fields: [(String, String)] = [],
        isEnd: Bool = false
    ) {
        sendFields(stream, [(":status", "\(status)")] + fields, isEnd: isEnd)
    }

    /// A head, or trailers.
    public func sendFields(
        _ stream: UInt32, _ fields: [(String, String)], isEnd: Bool = true
    ) {
        send(
            HTTP2Frame(
                .headers, flags: HTTP2Frame.endHeaders | (isEnd ? HTTP2Frame.endStream : 0),
                stream: stream, HTTP2Frame.block(fields.map { (name: $0, value: $1) })))
    }

    /// In frames of 16 KiB at most, as the client's windows allow it.
    public func sendData(_ stream: UInt32, _ body: [UInt8], isEnd: Bool = true) {
        var rest = body[...]
        repeat {
            let count = sendWhatFits(stream, rest, isEnd: isEnd)
            rest = rest.dropFirst(count)
            if !rest.isEmpty, room(on: stream) == 0, readFrame() == nil { return }
        } while !rest.isEmpty
    }

    /// One frame, as large as the client takes it now; returns how much of the body that was.
    public func sendWhatFits(
        _ stream: UInt32, _ body: ArraySlice<UInt8>, isEnd: Bool = false
    ) -> Int {
        let piece = body.prefix(min(16 << 10, room(on: stream)))
        guard !piece.isEmpty || body.isEmpty else { return 0 }
        connectionWindow -= piece.count
        windows[stream, default: 0] -= piece.count
        send(
            HTTP2Frame(
                .data, flags: isEnd && piece.count == body.count ? HTTP2Frame.endStream : 0,
                stream: stream, Array(piece)))
        return piece.count
    }

    /// How much the client takes now.
    public func room(on stream: UInt32) -> Int {
        max(0, min(connectionWindow, firstWindow + windows[stream, default: 0]))
    }

    public func answer(
        _ stream: UInt32, _ status: Int = 200, _ fields: [(String, String)] = [], body: String = ""
    ) {
        sendHead(stream, status, fields)
        sendData(stream, Array(body.utf8))
    }

    public func reset(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        send(HTTP2Frame(.reset, stream: stream, HTTP2Frame.word(code.rawValue)))
    }

    public func goAway(last stream: UInt32, _ code: HTTP2ErrorCode = .none) {
        send(HTTP2Frame(.goAway, HTTP2Frame.word(stream) + HTTP2Frame.word(code.rawValue)))
    }

    /// Gives the client more to send: on a stream, or with 0 on the connection.
    public func widen(_ stream: UInt32, by byteCount: UInt32) {
        send(HTTP2Frame(.windowUpdate, stream: stream, HTTP2Frame.word(byteCount)))
    }
}
