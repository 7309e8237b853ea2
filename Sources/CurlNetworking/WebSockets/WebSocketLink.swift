import Dispatch
import FoundationEssentials
import Synchronization

/// The life of a WebSocket between its task, whose user sends and receives messages, and the engine,
/// which moves bytes.
///
/// What comes from the server is read on the delegate's queue, like every answer; what users ask may
/// come from any thread. Handlers are called on the delegate's queue.
final class WebSocketLink: ByteSink {
    typealias Message = URLSessionWebSocketTask.Message
    typealias CloseCode = URLSessionWebSocketTask.CloseCode

    let pipe = OutgoingPipe()
    private let session: URLSession
    private let state: Mutex<State>

    private enum Stage: Sendable {
        case connecting
        case open
        /// We have sent our goodbye, or answered the server's.
        case closing
        case over
    }

    private struct State: Sendable {
        weak var task: URLSessionWebSocketTask?
        var stage = Stage.connecting
        var reader: WebSocketReader
        var arrived: [Message] = []
        var receivers: [@Sendable (Result<Message, any Error>) -> Void] = []
        var pongs: [@Sendable ((any Error)?) -> Void] = []
        var sends: [Int: @Sendable ((any Error)?) -> Void] = [:]
        var lastSend = 0
        var closeCode = CloseCode.invalid
        var closeReason: Data?
        /// Whether the server has said goodbye, or was waited for long enough.
        var hasGoodbye = false
        /// Whether the delegate was told.
        var isTold = false
        var error: (any Error)?
        /// Bytes of messages that nobody has asked for yet.
        var unreadByteCount = 0
        /// Bytes the transfer was not told to be used up yet.
        var owedByteCount = 0
    }

    /// Above this many unread bytes the server is held back.
    private static let highWater = 1 << 20
    /// Above this many unsent frames pings go unanswered.
    private static let mostUnsent = 1000
    /// How long a server may take to answer a goodbye, in seconds.
    private static let patience = 5.0

    init(session: URLSession) {
        self.session = session
        state = Mutex(State(reader: WebSocketReader(largestMessage: 1 << 20)))
    }

    func connect(to task: URLSessionWebSocketTask) {
        state.withLock { $0.task = task }
    }

    var closeCode: CloseCode { state.withLock { $0.closeCode } }
    var closeReason: Data? { state.withLock { $0.closeReason } }
    var hasGoodbye: Bool { state.withLock { $0.hasGoodbye } }
    var largestMessage: Int {
        get { state.withLock { $0.reader.largestMessage } }
        set { state.withLock { $0.reader.largestMessage = max(0, newValue) } }
    }

    // MARK: - What users ask

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
        // One look at the state: who waits is notified by `drop`, and must not be notified here as well.
        let (message, isOver): (Message?, Bool) = state.withLock { state in
            guard state.arrived.isEmpty else {
                let message = state.arrived.removeFirst()
                state.unreadByteCount -= message.byteCount
                return (message, false)
            }
            let isOver = state.stage == .over || state.stage == .closing
            if !isOver { state.receivers.append(handler) }
            return (nil, isOver)
        }
        if let message {
            payBack()
            return onQueue { handler(.success(message)) }
        }
        guard isOver else { return }
        let error = endError
        onQueue { handler(.failure(error)) }
    }

    func ping(_ handler: @escaping @Sendable ((any Error)?) -> Void) {
        let isAlive = state.withLock { state in
            guard state.stage == .connecting || state.stage == .open else { return false }
            state.pongs.append(handler)
            return true
        }
        guard isAlive else {
            let error = endError
            return onQueue { handler(error) }
        }
        write(WebSocketFrame(opcode: .ping))
    }

    /// Says goodbye. The task completes when the server has answered it, or has taken too long.
    func close(_ code: CloseCode, reason: Data?, waitsForAnswer: Bool = true) {
        let isOpen: Bool = state.withLock { state in
            guard state.stage == .open else { return false }
            state.stage = .closing
            state.closeCode = code
            state.closeReason = reason
            state.hasGoodbye = !waitsForAnswer
            return true
        }
        guard isOpen else {
            state.withLock { $0.task }?.cancel()
            return
        }
        write(.close(code.wireValue, reason: reason)) { [weak self] in
            guard let self, !waitsForAnswer else { return }
            onQueue { self.farewell() }
        }
        pipe.end()
        drop(with: endError)
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
            @Sendable [weak self] in
            guard let self else { return }
            onQueue { self.farewell() }
        }
    }

    // MARK: - What the transfer brings, on the delegate's queue

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
        state.withLock { $0.owedByteCount += data.count }
        let (arrivals, refusal) = state.withLock { $0.reader.append(data) }
        for arrival in arrivals { take(arrival) }
        if let refusal {
            close(
                CloseCode(refusal.rawValue), reason: nil, waitsForAnswer: false)
        }
        payBack()
    }

    func finish(_ error: (any Error)?) {
        tellGoodbye()
        let error = hasGoodbye ? nil : error
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
            guard pipe.waitingCount < Self.mostUnsent else { return }
            write(WebSocketFrame(opcode: .pong, payload: payload))
        case .pong:
            let handler = state.withLock { $0.pongs.isEmpty ? nil : $0.pongs.removeFirst() }
            handler?(nil)
        case .close(let code, let reason): goodbye(code, reason)
        }
    }

    private func deliver(_ message: Message) {
        let receiver = state.withLock { state in
            guard state.receivers.isEmpty else { return Optional(state.receivers.removeFirst()) }
            state.arrived.append(message)
            state.unreadByteCount += message.byteCount
            return nil
        }
        receiver?(.success(message))
    }

    /// The server says goodbye, first or in answer to ours.
    private func goodbye(_ code: UInt16?, _ reason: Data) {
        let isFirst: Bool = state.withLock { state in
            let isFirst = state.stage == .open
            state.hasGoodbye = true
            if isFirst {
                state.stage = .closing
                state.closeCode = code.map { CloseCode($0) } ?? .noStatusReceived
                state.closeReason = reason
            }
            return isFirst
        }
        guard isFirst else { return farewell() }
        write(.close(code ?? 0, reason: nil)) { [weak self] in
            guard let self else { return }
            onQueue { self.farewell() }
        }
        pipe.end()
        drop(with: endError)
    }

    /// Both have said goodbye, or one has waited long enough: tells the delegate and ends the task.
    private func farewell() {
        let task = state.withLock { state -> URLSessionWebSocketTask? in
            guard state.stage != .over else { return nil }
            state.hasGoodbye = true
            return state.task
        }
        guard let task else { return }
        tellGoodbye()
        Engine.shared.thread.submit { $0.endWebSocket(of: task) }
    }

    private func tellGoodbye() {
        let facts: (URLSessionWebSocketTask, CloseCode, Data?)? = state.withLock { state in
            guard state.hasGoodbye, !state.isTold, let task = state.task else { return nil }
            state.isTold = true
            return (task, state.closeCode, state.closeReason)
        }
        guard let (task, code, reason) = facts else { return }
        task.webSocketListener?.urlSession(
            session, webSocketTask: task, didCloseWith: code, reason: reason)
    }

    // MARK: -

    private func write(_ frame: WebSocketFrame, whenTaken: (@Sendable () -> Void)? = nil) {
        pipe.append(
            frame.encoded(mask: WebSocketHandshake.randomBytes(4)), whenTaken: whenTaken)
    }

    private func sent(_ number: Int) {
        let handler = state.withLock { $0.sends.removeValue(forKey: number) }
        if let handler { onQueue { handler(nil) } }
    }

    /// Lets go of everybody who waits.
    private func drop(with error: any Error) {
        let (receivers, pongs, sends) = state.withLock { state in
            defer {
                state.receivers = []
                state.pongs = []
                state.sends = [:]
            }
            return (state.receivers, state.pongs, state.sends)
        }
        guard !(receivers.isEmpty && pongs.isEmpty && sends.isEmpty) else { return }
        onQueue {
            for handler in receivers { handler(.failure(error)) }
            for handler in pongs { handler(error) }
            for number in sends.keys.sorted() { sends[number]?(error) }
        }
    }

    /// What is told to those who come after the end.
    private var endError: any Error {
        let (error, task) = state.withLock { ($0.error, $0.task) }
        return error
            ?? URLError(
                .networkConnectionLost, failingURL: task?.currentRequest?.url,
                underlyingText: "the WebSocket is closed")
    }

    /// Lets the server go on while not too much is unread.
    private func payBack() {
        let (task, count) = state.withLock { state in
            guard state.unreadByteCount <= Self.highWater else { return (state.task, 0) }
            defer { state.owedByteCount = 0 }
            return (state.task, state.owedByteCount)
        }
        if count > 0 { task?.didConsume(count) }
    }

    private func onQueue(_ work: @escaping @Sendable () -> Void) {
        session.callbackQueue.async(work)
    }
}

extension URLSessionWebSocketTask.Message {
    /// What it takes in memory, more or less: an empty message takes some, too.
    fileprivate var byteCount: Int {
        switch self {
        case .data(let data): data.count + 64
        case .string(let text): text.utf8.count + 64
        }
    }
}
