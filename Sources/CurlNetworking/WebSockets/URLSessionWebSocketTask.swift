public import FoundationEssentials

/// A connection over which both sides send messages whenever they like (RFC 6455).
///
/// ```swift
/// let task = URLSession.shared.webSocketTask(with: url)  // ws: or wss:
/// task.resume()
/// try await task.send(.string("hello"))
/// let answer = try await task.receive()
/// task.cancel(with: .normalClosure, reason: nil)
/// ```
///
/// Messages sent before the connection is there wait for it. Each message received goes to one
/// receiver; while many are unread the server is held back. Pings are answered by themselves. The
/// request timeout ends with the handshake: a WebSocket may be silent for as long as it likes. It does
/// not count among the session's connections to the host.
public final class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
    // Unchecked as its superclass is; its own properties are immutable and Sendable.

    /// Why a WebSocket was closed (RFC 6455 §7.4).
    ///
    /// As with Apple's, any code has a `CloseCode(rawValue:)`, so a `switch` needs a `default`.
    public enum CloseCode: RawRepresentable, Hashable, Sendable {
        /// Not closed yet, or closed without a goodbye.
        case invalid
        case normalClosure
        case goingAway
        case protocolError
        case unsupportedData
        /// The server's goodbye had no code.
        case noStatusReceived
        /// The connection ended without a goodbye.
        case abnormalClosure
        case invalidFramePayloadData
        case policyViolation
        case messageTooBig
        case mandatoryExtensionMissing
        case internalServerError
        case tlsHandshakeFailure
        /// A code without a name; 3000 to 4999 are those of programs and libraries.
        case other(UInt16)

        /// nil for a number that fits in no goodbye: it has 16 bits.
        public init?(rawValue: Int) {
            guard let code = UInt16(exactly: rawValue) else { return nil }
            self.init(code)
        }

        init(_ code: UInt16) {
            self = Self.named.first { $0.rawValue == Int(code) } ?? .other(code)
        }

        private static let named: [CloseCode] = [
            .invalid, .normalClosure, .goingAway, .protocolError, .unsupportedData,
            .noStatusReceived, .abnormalClosure, .invalidFramePayloadData, .policyViolation,
            .messageTooBig, .mandatoryExtensionMissing, .internalServerError, .tlsHandshakeFailure,
        ]

        public var rawValue: Int {
            switch self {
            case .invalid: 0
            case .normalClosure: 1000
            case .goingAway: 1001
            case .protocolError: 1002
            case .unsupportedData: 1003
            case .noStatusReceived: 1005
            case .abnormalClosure: 1006
            case .invalidFramePayloadData: 1007
            case .policyViolation: 1008
            case .messageTooBig: 1009
            case .mandatoryExtensionMissing: 1010
            case .internalServerError: 1011
            case .tlsHandshakeFailure: 1015
            case .other(let code): Int(code)
            }
        }

        public static func == (one: CloseCode, other: CloseCode) -> Bool {
            one.rawValue == other.rawValue
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(rawValue)
        }

        /// Whether it may go over the wire (§7.4): the others are for programs to tell each other of
        /// what happened without a goodbye, or belong to nobody.
        var isSendable: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }

        /// What is sent for it; 0 for a goodbye without a code.
        var wireValue: UInt16 { isSendable ? UInt16(rawValue) : 0 }
    }

    /// A message: bytes, or text, which is valid UTF-8 for both sides.
    public enum Message: Sendable {
        case data(Data)
        case string(String)
    }

    private let link: WebSocketLink
    private let given: URLRequest

    init(session: URLSession, identifier: Int, request: URLRequest, protocols: [String]) {
        given = request
        link = WebSocketLink(session: session)
        super.init(
            session: session, identifier: identifier,
            request: WebSocketHandshake.request(
                request, protocols: protocols, key: WebSocketHandshake.makeKey()),
            source: .pipe(link.pipe), receiver: .bytes(link))
        link.connect(to: self)
    }

    public override var originalRequest: URLRequest? { given }

    public override var currentRequest: URLRequest? {
        guard var request = super.currentRequest else { return nil }
        let url = request.url
        request.url = url.map(WebSocketHandshake.asWebSocket)
        return request
    }

    /// The longest message that is taken, in bytes; 1 MiB unless set. A longer one closes the connection.
    public var maximumMessageSize: Int {
        get { link.largestMessage }
        set { link.largestMessage = newValue }
    }

    /// Why it was closed, by either side; `.invalid` before.
    public var closeCode: CloseCode { link.closeCode }
    /// What the side that closed it said about it.
    public var closeReason: Data? { link.closeReason }

    /// Whether the server has said goodbye, first or in answer to ours.
    var hasSaidGoodbye: Bool { link.hasGoodbye }

    /// Sends a message. `completionHandler` is called when it was handed to the system, or with the
    /// reason why not.
    public func send(
        _ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        link.send(message, completionHandler)
    }

    /// Sends a message. Returns when it was handed to the system.
    public func send(_ message: Message) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            link.send(message) { error in
                if let error { done.resume(throwing: error) } else { done.resume() }
            }
        }
    }

    /// Hands over the next message once it is there.
    public func receive(
        completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void
    ) {
        link.receive(completionHandler)
    }

    /// Waits for the next message.
    public func receive() async throws -> Message {
        try await withCheckedThrowingContinuation { message in
            link.receive { message.resume(with: $0) }
        }
    }

    /// Asks the server for a sign of life. The handler is called when it has come, or with the reason
    /// why it will not.
    public func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        link.ping(pongReceiveHandler)
    }

    /// Asks the server for a sign of life, and waits for it.
    public func sendPing() async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            link.ping { error in
                if let error { done.resume(throwing: error) } else { done.resume() }
            }
        }
    }

    /// Closes the connection with a goodbye and completes when the server has answered it, without an
    /// error; a server that takes longer than five seconds is not waited for. Before there is a
    /// connection the task is cancelled.
    public func cancel(with closeCode: CloseCode, reason: Data?) {
        link.close(closeCode, reason: reason)
    }

    /// The receiver of the WebSocket's events: the task's own delegate, if it is one for WebSockets, else the
    /// session's.
    var webSocketListener: (any URLSessionWebSocketDelegate)? {
        delegate as? any URLSessionWebSocketDelegate
            ?? session.delegate as? any URLSessionWebSocketDelegate
    }
}

/// Receives the events of WebSockets.
public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
    /// The connection is there. `protocol` is the one the server has chosen of those it was offered.
    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?)

    /// Both sides have said goodbye; the task's completion follows.
    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?)
}

extension URLSessionWebSocketDelegate {
    public func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        let next = webSocketTask.nextDelegate(after: self) as? any URLSessionWebSocketDelegate
        next?.urlSession(
            session, webSocketTask: webSocketTask, didOpenWithProtocol: `protocol`)
    }

    public func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        let next = webSocketTask.nextDelegate(after: self) as? any URLSessionWebSocketDelegate
        next?.urlSession(
            session, webSocketTask: webSocketTask, didCloseWith: closeCode, reason: reason)
    }
}

extension URLSession {
    /// Makes a task for a WebSocket at a `ws` or `wss` URL.
    public func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        webSocketTask(with: URLRequest(url: url), protocols: [])
    }

    /// Makes a task for a WebSocket that speaks one of `protocols`, the first liked best.
    public func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        webSocketTask(with: URLRequest(url: url), protocols: protocols)
    }

    /// Makes a task for a WebSocket with header fields of one's own. The method is always GET.
    public func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        webSocketTask(with: request, protocols: [])
    }

    private func webSocketTask(
        with request: URLRequest, protocols: [String]
    ) -> URLSessionWebSocketTask {
        register { identifier in
            URLSessionWebSocketTask(
                session: self, identifier: identifier, request: request, protocols: protocols)
        }
    }
}
