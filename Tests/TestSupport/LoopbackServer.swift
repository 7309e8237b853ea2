public import Foundation
import Synchronization

/// A scripted server on this machine that records every byte it receives.
///
/// Either each request is answered by a closure, over kept-alive connections, or each connection
/// plays a script of steps, faults included:
///
/// ```swift
/// let server = try LoopbackServer { _ in [.send("HTTP/1.1 204 No Content\r\n\r\n")] }
/// let server = try LoopbackServer(scripts: [[.readHead, .send("HTTP/1.1 200 OK\r\n"), .reset]])
/// ```
///
/// Each connection has a thread, so scripts read from top to bottom. Stopped with the last reference.
public final class LoopbackServer: Sendable {
    /// Where to listen.
    public enum Door: Sendable {
        /// 127.0.0.1, on a port the system picks.
        case tcp
        /// A socket in a temporary folder.
        case unixSocket
    }

    public let port: UInt16
    /// The path of the Unix socket; nil for TCP.
    public let socketPath: String?

    private let core: LoopbackCore

    /// Plays one script per connection; the last one is repeated for all further connections.
    public convenience init(on door: Door = .tcp, scripts: [[LoopbackStep]]) throws {
        precondition(!scripts.isEmpty, "a server needs at least one script")
        try self.init(on: door) { connection in
            _ = connection.play(scripts[min(connection.index, scripts.count - 1)])
        }
    }

    /// Responds to each request with steps. The connection is kept for the next request, unless a
    /// step closes it.
    public convenience init(
        on door: Door = .tcp, answering: @escaping @Sendable (LoopbackRequest) -> [LoopbackStep]
    ) throws {
        try self.init(on: door) { connection in
            while let request = connection.readRequest() {
                let steps = answering(request)
                connection.noteDecision()
                guard connection.play(steps) else { return }
            }
        }
    }

    /// Runs a closure for each connection, which may read and send as it likes. The connection is
    /// closed when it returns.
    public convenience init(
        on door: Door = .tcp, talking: @escaping @Sendable (LoopbackPeer) -> Void
    ) throws {
        try self.init(on: door) { connection in talking(LoopbackPeer(connection)) }
    }

    private init(
        on door: Door, serve: @escaping @Sendable (LoopbackConnection) -> Void
    ) throws {
        let listener = try LoopbackListener(on: door)
        port = listener.port
        socketPath = listener.path
        core = LoopbackCore(listener)
        let core = self.core
        Thread.detachNewThread { core.acceptConnections(serve) }
    }

    deinit {
        core.stop()
    }

    /// A URL of this server. Over a Unix socket the host is ignored.
    public func url(_ path: String = "/") -> URL {
        let text = socketPath == nil ? "http://127.0.0.1:\(port)\(path)" : "http://loopback\(path)"
        guard let url = URL(string: text) else { preconditionFailure("bad path \(path)") }
        return url
    }

    // MARK: - What it was sent

    /// The requests read so far, in the order in which they were complete.
    public var requests: [LoopbackRequest] { core.record.withLock { $0.requests } }

    /// How many connections were accepted so far.
    public var connectionCount: Int { core.record.withLock { $0.received.count } }

    /// Every byte one connection has sent so far.
    public func received(on connection: Int) -> [UInt8] {
        core.record.withLock {
            $0.received.indices.contains(connection) ? $0.received[connection] : []
        }
    }

    /// Waits until this many requests were read and their responses are decided, so that their side
    /// effects have happened; returns all requests.
    @discardableResult
    public func requests(atLeast count: Int) async -> [LoopbackRequest] {
        await core.wait { $0.decided >= count }
        return requests
    }

    /// Waits until a matching request was read.
    public func request(where isWanted: @escaping @Sendable (LoopbackRequest) -> Bool) async {
        await core.wait { $0.requests.contains(where: isWanted) }
    }

    /// Waits until this many connections were accepted.
    public func connections(atLeast count: Int) async {
        await core.wait { $0.received.count >= count }
    }

    /// Waits until a connection has sent this many bytes.
    public func bytes(atLeast count: Int, on connection: Int = 0) async {
        await core.wait { $0.received.count > connection && $0.received[connection].count >= count }
    }

    /// Waits until either side has closed a connection.
    public func end(ofConnection connection: Int = 0) async {
        await core.wait { $0.ended.contains(connection) }
    }

    /// Closes the listener and all connections.
    public func stop() {
        core.stop()
    }
}

/// A client's connection, for a closure of a ``LoopbackServer``; used only by its own thread.
public struct LoopbackPeer {
    private let connection: LoopbackConnection

    init(_ connection: LoopbackConnection) {
        self.connection = connection
    }

    /// The next head including the empty line; nil when the client has closed the connection.
    public func readHead() -> String? { connection.readHead() }

    /// The next bytes; nil when the client closes the connection first.
    public func read(_ byteCount: Int) -> [UInt8]? { connection.take(byteCount) }

    /// Reads until the client closes the connection.
    public func readToEnd() { _ = connection.play([.stall]) }

    /// Waits for the test.
    public func wait(for gate: LoopbackGate) { _ = connection.play([.wait(gate)]) }

    /// Whether the connection was not closed yet, as far as reading and sending have shown.
    public var isOpen: Bool { connection.isOpen }

    public func send(_ text: String) { _ = connection.play([.send(text)]) }

    public func send(_ bytes: [UInt8]) { _ = connection.play([.send(bytes)]) }
}

/// Lets a test decide when a script continues.
public final class LoopbackGate: Sendable {
    private let isOpen = NSCondition()
    private let state = Mutex(false)

    public init() {}

    public func open() {
        isOpen.lock()
        state.withLock { $0 = true }
        isOpen.broadcast()
        isOpen.unlock()
    }

    func wait() {
        isOpen.lock()
        while !state.withLock({ $0 }) { isOpen.wait() }
        isOpen.unlock()
    }
}
