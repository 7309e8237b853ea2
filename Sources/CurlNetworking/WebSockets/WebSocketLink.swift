import Dispatch
import FoundationEssentials
import Synchronization

/// Connects a WebSocket task, whose users send and receive messages, with the engine, which transfers bytes.
///
/// Received bytes are parsed on the delegate's queue, like every response; users call from any thread.
/// Handlers are called on the delegate's queue.
final class WebSocketLink: ByteSink {
    typealias Message = URLSessionWebSocketTask.Message
    typealias CloseCode = URLSessionWebSocketTask.CloseCode

    let pipe = OutgoingPipe()
    private let session: URLSession
    private let state: Mutex<State>

    private enum Stage: Sendable {
        case connecting
        case open
        /// A close frame was sent, as the first one or in response to the server's.
        case closing
        case over
    }

    /// What the closing side has said.
    private struct Close: Sendable {
        var code = CloseCode.invalid
        var reason: Data?
    }

    /// A ping without its pong.
    private struct Ping: Sendable {
        var payload: Data
        var handler: @Sendable ((any Error)?) -> Void
    }

    private struct Pings: Sendable {
        var waiting: [Ping] = []
        var last: UInt64 = 0
    }

    private struct State: Sendable {
        weak var task: URLSessionWebSocketTask?
        var stage = Stage.connecting
        var reader: WebSocketReader
        var arrived: [Message] = []
        /// How many handlers of received messages are on their way to the delegate's queue.
        var underWayCount = 0
        var receivers: [@Sendable (Result<Message, any Error>) -> Void] = []
        var pings = Pings()
        var sends: [Int: @Sendable ((any Error)?) -> Void] = [:]
        var lastSend = 0
        var close = Close()
        /// Whether the close handshake is complete or timed out.
        var isCloseHandshakeDone = false
        /// Whether the delegate was notified.
        var isCloseReported = false
        var error: (any Error)?
        /// Bytes of messages that were not received by a caller yet.
        var unreadByteCount = 0
        /// Bytes not yet reported to the transfer as consumed.
        var unreportedByteCount = 0
    }

    /// Reading pauses above this many unread bytes.
    private static let highWater = 1 << 20
    /// Above this many unsent frames, pings are not answered.
    private static let maximumUnsentCount = 1000
    /// How long to wait for the server's close frame, or until it takes the answer to its own, in seconds.
    private static let closeTimeout = 5.0
    /// How long to read on, and drop what comes, after a refusal, in seconds: the kernel resets a connection that
    /// is closed with unread bytes, and the server would not see the close frame (RFC 9112 §9.6).
    private static let lingerTimeout = 1.0
    /// Serial: a global queue would wake the process every second from then on.
    private static let timeouts = DispatchQueue(label: "CurlNetworking.websocket-timeouts")

    init(session: URLSession) {
        self.session = session
        state = Mutex(State(reader: WebSocketReader(largestMessage: 1 << 20)))
    }

    func connect(to task: URLSessionWebSocketTask) {
        state.withLock { $0.task = task }
    }

    var closeCode: CloseCode { state.withLock { $0.close.code } }
    var closeReason: Data? { state.withLock { $0.close.reason } }
    var isCloseHandshakeDone: Bool { state.withLock { $0.isCloseHandshakeDone } }
    var largestMessage: Int {
        get { state.withLock { $0.reader.largestMessage } }
        set { state.withLock { $0.reader.largestMessage = max(0, newValue) } }
    }

    // MARK: - Calls of users

    func send(_ message: Message, _ handler: @escaping @Sendable ((any Error)?) -> Void) {
        let frame =
            switch message {
            case .data(let data): WebSocketFrame(opcode: .binary, payload: data)
            case .string(let text): WebSocketFrame(opcode: .text, payload: Data(text.utf8))
            }
        let number: Int? = state.withLock { state in
            guard state.stage == .connecting || state.stage == .open else { return nil }
            state.lastSend += 1
            state.sends[state.lastSend] = handler
            return state.lastSend
        }
        guard let number else {
            let error = endError
            return onQueue { handler(error) }
        }
        write(frame) { [weak self] in self?.sent(number) }
    }

    func receive(_ handler: @escaping @Sendable (Result<Message, any Error>) -> Void) {
        // Checked under one lock: `drop` notifies the waiting callers, which must not be notified twice.
        let (message, isOver): (Message?, Bool) = state.withLock { state in
            guard state.arrived.isEmpty else {
                let message = state.arrived.removeFirst()
                state.unreadByteCount -= message.byteCount
                state.underWayCount += 1
                return (message, false)
            }
            let isOver = state.stage == .over || state.stage == .closing
            if !isOver { state.receivers.append(handler) }
            return (nil, isOver)
        }
        if let message {
            reportConsumed()
            return hand(message, to: handler)
        }
        guard isOver else { return }
        let error = endError
        onQueue { handler(.failure(error)) }
    }

    func ping(_ handler: @escaping @Sendable ((any Error)?) -> Void) {
        let payload: Data? = state.withLock { state in
            guard state.stage == .connecting || state.stage == .open else { return nil }
            state.pings.last += 1
            let payload = Data(String(state.pings.last).utf8)
            state.pings.waiting.append(Ping(payload: payload, handler: handler))
            return payload
        }
        guard let payload else {
            let error = endError
            return onQueue { handler(error) }
        }
        write(WebSocketFrame(opcode: .ping, payload: payload))
    }

    /// Sends a close frame. The task completes when the server has answered it or closed the connection, or
    /// after the timeout.
    func close(_ code: CloseCode, reason: Data?, waitsForAnswer: Bool = true) {
        let stage = state.withLock { state in
            let stage = state.stage
            guard stage == .open else { return stage }
            state.stage = .closing
            state.close.code = code
            state.close.reason = reason
            state.isCloseHandshakeDone = !waitsForAnswer
            return stage
        }
        switch stage {
        case .open: break
        case .connecting: return state.withLock { $0.task }?.cancel() ?? ()
        // The close frame may not be written yet.
        case .closing, .over: return
        }
        write(.close(code.wireValue, reason: reason), thenEnds: true)
        drop(with: endError)
        endLater(after: waitsForAnswer ? Self.closeTimeout : Self.lingerTimeout)
    }

    /// Ends the task after a time in seconds, unless it has ended by then.
    private func endLater(after timeout: Double) {
        Self.timeouts.asyncAfter(deadline: .now() + timeout) {
            @Sendable [weak self] in
            guard let self else { return }
            onQueue { self.endAfterClose() }
        }
    }

    // MARK: - Received data, on the delegate's queue

    func open(with response: URLResponse) {
        guard
            let task = state.withLock({ state in
                if state.stage == .connecting { state.stage = .open }
                return state.task
            })
        else { return }
        pipe.open()
        let chosen = (response as? HTTPURLResponse)?
            .value(forHTTPHeaderField: "Sec-WebSocket-Protocol")
        task.webSocketListener?.urlSession(
            session, webSocketTask: task, didOpenWithProtocol: chosen)
    }

    func append(_ data: Data) {
        state.withLock { $0.unreportedByteCount += data.count }
        let (arrivals, refusal) = state.withLock { $0.reader.append(data) }
        for arrival in arrivals { take(arrival) }
        if let refusal {
            close(
                CloseCode(refusal.rawValue), reason: nil, waitsForAnswer: false)
        }
        reportConsumed()
    }

    func finish(_ error: (any Error)?) {
        notifyClose()
        let error = isCloseHandshakeDone ? nil : error
        let task = state.withLock { state in
            state.stage = .over
            state.error = error
            return state.task
        }
        drop(with: endError)
        guard let task else { return }
        task.listener?.urlSession(session, task: task, didCompleteWithError: error)
    }

    private func take(_ arrival: WebSocketReader.Arrival) {
        switch arrival {
        case .text(let text): deliver(.string(text))
        case .binary(let data): deliver(.data(data))
        case .ping(let payload):
            guard pipe.waitingCount < Self.maximumUnsentCount else { return }
            write(WebSocketFrame(opcode: .pong, payload: payload))
        case .pong(let payload):
            for ping in pings(answeredBy: payload) { ping.handler(nil) }
        case .close(let code, let reason): takeClose(code, reason)
        }
    }

    /// A server may answer only the latest of several pings; a pong for none is a heartbeat (RFC 6455 §5.5.3).
    private func pings(answeredBy payload: Data) -> ArraySlice<Ping> {
        state.withLock { state in
            guard let index = state.pings.waiting.firstIndex(where: { $0.payload == payload })
            else {
                return []
            }
            defer { state.pings.waiting.removeSubrange(...index) }
            return state.pings.waiting[...index]
        }
    }

    private typealias Receiver = @Sendable (Result<Message, any Error>) -> Void

    private func deliver(_ message: Message) {
        let (receiver, mustWait): (Receiver?, Bool) = state.withLock { state in
            guard state.receivers.isEmpty else {
                let mustWait = state.underWayCount > 0
                if mustWait { state.underWayCount += 1 }
                return (state.receivers.removeFirst(), mustWait)
            }
            state.arrived.append(message)
            state.unreadByteCount += message.byteCount
            return (nil, false)
        }
        guard let receiver else { return }
        // After those of earlier messages.
        if mustWait { hand(message, to: receiver) } else { receiver(.success(message)) }
    }

    /// Calls a handler on the delegate's queue. It is counted already.
    private func hand(_ message: Message, to receiver: @escaping Receiver) {
        onQueue { [weak self] in
            receiver(.success(message))
            self?.state.withLock { $0.underWayCount -= 1 }
        }
    }

    /// Handles the server's close frame, the first one or the answer to ours.
    private func takeClose(_ code: UInt16?, _ reason: Data) {
        let isFirst: Bool = state.withLock { state in
            let isFirst = state.stage == .open
            state.isCloseHandshakeDone = true
            if isFirst {
                state.stage = .closing
                state.close.code = code.map { CloseCode($0) } ?? .noStatusReceived
                state.close.reason = reason
            }
            return isFirst
        }
        guard isFirst else { return endAfterClose() }
        write(.close(code ?? 0, reason: nil), thenEnds: true) { [weak self] in
            guard let self else { return }
            onQueue { self.endAfterClose() }
        }
        drop(with: endError)
        // A server that has stopped reading takes neither the answer nor what is queued before it.
        endLater(after: Self.closeTimeout)
    }

    /// Notifies the delegate and ends the task, after the close handshake or its timeout.
    private func endAfterClose() {
        let task = state.withLock { state -> URLSessionWebSocketTask? in
            guard state.stage != .over else { return nil }
            state.isCloseHandshakeDone = true
            return state.task
        }
        guard let task else { return }
        notifyClose()
        Engine.shared.thread.submit { $0.endWebSocket(of: task) }
    }

    private func notifyClose() {
        let facts: (URLSessionWebSocketTask, CloseCode, Data?)? = state.withLock { state in
            guard state.isCloseHandshakeDone, !state.isCloseReported, let task = state.task else {
                return nil
            }
            state.isCloseReported = true
            return (task, state.close.code, state.close.reason)
        }
        guard let (task, code, reason) = facts else { return }
        task.webSocketListener?.urlSession(
            session, webSocketTask: task, didCloseWith: code, reason: reason)
    }

    // MARK: -

    /// Queues a frame. Nothing is sent after a close frame: what another thread has registered before, `drop`
    /// reports as failed.
    private func write(
        _ frame: WebSocketFrame, thenEnds: Bool = false, whenTaken: (@Sendable () -> Void)? = nil
    ) {
        pipe.append(
            frame.encoded(mask: WebSocketHandshake.randomBytes(4)), thenEnds: thenEnds,
            whenTaken: whenTaken)
    }

    private func sent(_ number: Int) {
        let handler = state.withLock { $0.sends.removeValue(forKey: number) }
        if let handler { onQueue { handler(nil) } }
    }

    /// Fails all waiting calls.
    private func drop(with error: any Error) {
        let (receivers, pings, sends) = state.withLock { state in
            defer {
                state.receivers = []
                state.pings.waiting = []
                state.sends = [:]
            }
            return (state.receivers, state.pings.waiting, state.sends)
        }
        guard !(receivers.isEmpty && pings.isEmpty && sends.isEmpty) else { return }
        onQueue {
            for handler in receivers { handler(.failure(error)) }
            for ping in pings { ping.handler(error) }
            for number in sends.keys.sorted() { sends[number]?(error) }
        }
    }

    /// The error for calls after the end.
    private var endError: any Error {
        let (error, task) = state.withLock { ($0.error, $0.task) }
        return error
            ?? URLError(
                .networkConnectionLost, failingURL: task?.currentRequest?.url,
                underlyingText: "the WebSocket is closed")
    }

    /// Resumes reading when few bytes are unread.
    private func reportConsumed() {
        let (task, count) = state.withLock { state in
            guard state.unreadByteCount <= Self.highWater else { return (state.task, 0) }
            defer { state.unreportedByteCount = 0 }
            return (state.task, state.unreportedByteCount)
        }
        if count > 0 { task?.didConsume(count) }
    }

    private func onQueue(_ work: @escaping @Sendable () -> Void) {
        session.callbackQueue.async(work)
    }
}

extension URLSessionWebSocketTask.Message {
    /// The approximate memory of a message: an empty one counts, too.
    fileprivate var byteCount: Int {
        switch self {
        case .data(let data): data.count + 64
        case .string(let text): text.utf8.count + 64
        }
    }
}
