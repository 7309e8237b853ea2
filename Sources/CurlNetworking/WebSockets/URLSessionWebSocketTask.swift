public import FoundationEssentials

/// A task that exchanges messages over a WebSocket (RFC 6455).
///
/// ```swift
/// let task = URLSession.shared.webSocketTask(with: url)  // ws: or wss:
/// task.resume()
/// try await task.send(.string("hello"))
/// let answer = try await task.receive()
/// task.cancel(with: .normalClosure, reason: nil)
/// ```
///
/// Messages sent before the connection is open are queued. Each received message goes to one receiver; while
/// many are unread, reading pauses. Pings are answered automatically. The request timeout applies to the
/// handshake only: an open WebSocket may be silent for any time. WebSockets do not count among the session's
/// connections to a host.
///
/// Subclass to mock a task in a test.
open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
    // Unchecked like its superclass; its own properties are immutable and Sendable.

    /// Why a WebSocket was closed (RFC 6455 §7.4).
    ///
    /// As in Apple's API, `CloseCode(rawValue:)` accepts any code, so a `switch` needs a `default`.
    public enum CloseCode: RawRepresentable, Hashable, Sendable {
        /// Not closed yet, or closed without a close frame.
        case invalid
        case normalClosure
        case goingAway
        case protocolError
        case unsupportedData
        /// The server's close frame had no code.
        case noStatusReceived
        /// The connection ended without a close frame.
        case abnormalClosure
        case invalidFramePayloadData
        case policyViolation
        case messageTooBig
        case mandatoryExtensionMissing
        case internalServerError
        case tlsHandshakeFailure
        /// A code without a name; 3000 to 4999 are for programs and libraries.
        case other(UInt16)

        /// Returns nil for a number that does not fit into the 16 bits of a close frame.
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

        /// Whether a close frame may contain it (§7.4). Other codes only describe a close without a frame, or
        /// are reserved.
        var isSendable: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }

        /// The code to send; 0 for a close frame without a code.
        var wireValue: UInt16 { isSendable ? UInt16(rawValue) : 0 }
    }

    /// A message: data, or text, which is valid UTF-8 in both directions.
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

    /// Creates a task without a session, for subclasses in tests. It has no request, and fails when it is
    /// resumed.
    public override init() {
        given = .withoutURL
        link = WebSocketLink(session: .shared)
        super.init(
            session: .shared, identifier: 0, request: given, source: .none, receiver: .bytes(link)
        )
        link.connect(to: self)
    }

    open override var originalRequest: URLRequest? { given }

    open override var currentRequest: URLRequest? {
        guard var request = super.currentRequest else { return nil }
        let url = request.url
        request.url = url.map(WebSocketHandshake.asWebSocket)
        return request
    }

    /// The maximum length of a received message in bytes; 1 MiB by default. A longer message closes the
    /// connection.
    open var maximumMessageSize: Int {
        get { link.largestMessage }
        set { link.largestMessage = newValue }
    }

    /// The code with which either side has closed the WebSocket; `.invalid` before.
    open var closeCode: CloseCode { link.closeCode }
    /// The reason that the closing side has sent.
    open var closeReason: Data? { link.closeReason }

    /// Whether the close handshake is complete, or timed out.
    var isCloseHandshakeDone: Bool { link.isCloseHandshakeDone }

    /// Sends a message. `completionHandler` is called once, on the session's `delegateQueue`, when the message was
    /// handed to the system, or with the task's error: `.networkConnectionLost` after either side has closed, for
    /// what ``closeCode`` says.
    open func send(
        _ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        link.send(message, completionHandler)
    }

    /// Sends a message. Returns when it was handed to the system. Cancelling the Swift task has no effect: cancel
    /// this task.
    open func send(_ message: Message) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            link.send(message) { error in
                if let error { done.resume(throwing: error) } else { done.resume() }
            }
        }
    }

    /// Receives the next message. `completionHandler` is called once, on the session's `delegateQueue`, in the order
    /// of the messages; with `.networkConnectionLost` after either side has closed. A message above
    /// ``maximumMessageSize`` closes the task with ``closeCode`` `.messageTooBig`.
    open func receive(
        completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void
    ) {
        link.receive(completionHandler)
    }

    /// Receives the next message. Cancelling the Swift task has no effect: cancel this task.
    open func receive() async throws -> Message {
        try await withCheckedThrowingContinuation { message in
            link.receive { message.resume(with: $0) }
        }
    }

    /// Sends a ping. The handler is called when the pong has arrived, or with an error.
    open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        link.ping(pongReceiveHandler)
    }

    /// Sends a ping, and waits for the pong.
    public func sendPing() async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            link.ping { error in
                if let error { done.resume(throwing: error) } else { done.resume() }
            }
        }
    }

    /// Closes the connection with a close frame. The task completes without an error when the server has
    /// answered it, or after five seconds. Before the connection is open, the task is cancelled.
    open func cancel(with closeCode: CloseCode, reason: Data?) {
        link.close(closeCode, reason: reason)
    }

    /// The delegate that receives the WebSocket's events: the task's own if it is a WebSocket delegate, else
    /// the session's.
    var webSocketListener: (any URLSessionWebSocketDelegate)? {
        delegate as? any URLSessionWebSocketDelegate
            ?? session.delegate as? any URLSessionWebSocketDelegate
    }
}

/// Receives the events of WebSockets.
public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
    /// Called when the connection is open. `protocol` is the one that the server has selected.
    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?)

    /// Called when the close handshake is complete; the task's completion follows.
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
    func makeWebSocketTask(
        with request: URLRequest, protocols: [String] = []
    ) -> URLSessionWebSocketTask {
        register { identifier in
            URLSessionWebSocketTask(
                session: self, identifier: identifier, request: request, protocols: protocols)
        }
    }
}
