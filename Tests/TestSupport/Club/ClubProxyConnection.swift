import Foundation
import Synchronization

/// One connection through a ``ClubProxy``, on its own thread.
///
/// Requests are parsed just enough to know where each begins and ends; responses are forwarded
/// unparsed.
final class ClubProxyConnection: Sendable {
    private let client: Int32
    private let proxy: ClubProxy

    init(client: Int32, proxy: ClubProxy) {
        self.client = client
        self.proxy = proxy
    }

    /// The state of the current request.
    private struct Exchange {
        var index: Int
        var behavior: ClubProxy.Behavior
        var body: BodyLength
        var received = 0
        var isComplete = false
    }

    private enum BodyLength {
        case counted(Int)
        /// Ends with an empty chunk.
        case chunked(tail: [UInt8])
    }

    func run() {
        defer { close(client) }
        guard let club = try? UnixSocket.connect(to: proxy.club) else { return }
        defer { close(club) }
        var pending: [UInt8] = []
        var exchange: Exchange?
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let isHeld = exchange.map(self.isHeld) ?? false
            var watched = [
                pollfd(fd: client, events: isHeld ? 0 : Int16(POLLIN), revents: 0),
                pollfd(fd: club, events: Int16(POLLIN), revents: 0),
            ]
            // A held connection polls: no event signals its release.
            guard poll(&watched, 2, isHeld ? 5 : -1) >= 0 || errno == EINTR else { return }
            if watched[0].revents & Int16(POLLHUP | POLLERR) != 0, isHeld {
                return abandon(exchange)
            }
            if watched[1].revents != 0 {
                let count = read(club, &buffer, buffer.count)
                guard count > 0 else { return }
                finish(&exchange)
                if case .tellInstead(let data) = exchange?.behavior {
                    if let data { _ = UnixSocket.writeAll(Array(data)[...], to: client) }
                    return
                }
                guard UnixSocket.writeAll(buffer[..<count], to: client) else { return }
            }
            if watched[0].revents & Int16(POLLIN) != 0 {
                let count = read(client, &buffer, buffer.count)
                guard count > 0 else { return abandon(exchange) }
                pending += buffer[..<count]
            } else if watched[0].revents != 0 {
                return abandon(exchange)
            }
            guard pass(&pending, &exchange, to: club) else { return }
        }
    }

    /// Forwards what may be forwarded; false to close the connection.
    private func pass(_ pending: inout [UInt8], _ exchange: inout Exchange?, to club: Int32) -> Bool
    {
        while !pending.isEmpty {
            if exchange == nil || exchange?.isComplete == true {
                guard let end = pending.firstRange(of: Array("\r\n\r\n".utf8)) else { return true }
                let head = Array(pending[..<end.upperBound])
                pending.removeFirst(head.count)
                let begun = begin(head)
                exchange = begun
                guard start(begun, head, to: club) else { return false }
            }
            guard var current = exchange else { return true }
            let room = room(for: current)
            guard room > 0 || isComplete(current) else { return true }
            let part = Array(pending.prefix(room))
            pending.removeFirst(part.count)
            guard receive(part, &current, to: club) else { return false }
            exchange = current
            if isHeld(current), !current.isComplete { return true }
        }
        if var current = exchange, !current.isComplete, isComplete(current) {
            guard receive([], &current, to: club) else { return false }
            exchange = current
        }
        return true
    }

    private func begin(_ head: [UInt8]) -> Exchange {
        let request = ClubProxy.Request(head: String(decoding: head, as: UTF8.self))
        let isOpen = proxy.state.read { !$0.isClosed }
        let behavior = isOpen ? proxy.behavior(request) : .forward
        let index = proxy.state.update { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        let isChunked = request.header("Transfer-Encoding")?.contains("chunked") == true
        let count = request.header("Content-Length").flatMap { Int($0) } ?? 0
        return Exchange(
            index: index, behavior: behavior, body: isChunked ? .chunked(tail: []) : .counted(count)
        )
    }

    private func start(_ exchange: Exchange, _ head: [UInt8], to club: Int32) -> Bool {
        switch exchange.behavior {
        case .hangUp(after: ...0): return false
        case .forward, .hold, .hangUp, .tellInstead: return UnixSocket.writeAll(head[...], to: club)
        case .answer, .silence:
            let waits = proxy.requests[exchange.index].header("Expect") != nil
            guard waits else { return true }
            return UnixSocket.writeAll(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...], to: client)
        }
    }

    /// How much of the body may be read now.
    private func room(for exchange: Exchange) -> Int {
        var room = Int.max
        if case .counted(let count) = exchange.body { room = count - exchange.received }
        switch exchange.behavior {
        case .hold(let limit) where !isReleased: room = min(room, limit - exchange.received)
        case .hangUp(let limit): room = min(room, limit - exchange.received)
        default: break
        }
        return max(0, room)
    }

    private func receive(_ part: [UInt8], _ exchange: inout Exchange, to club: Int32) -> Bool {
        exchange.received += part.count
        if case .chunked(let tail) = exchange.body {
            exchange.body = .chunked(tail: (tail + part).suffix(5))
        }
        let (index, received) = (exchange.index, exchange.received)
        proxy.state.update { $0.requests[index].bodyByteCount = received }
        let isComplete = isComplete(exchange)
        exchange.isComplete = isComplete
        switch exchange.behavior {
        case .forward, .hold, .tellInstead: return UnixSocket.writeAll(part[...], to: club)
        case .hangUp(let limit):
            guard received < limit, !isComplete else { return false }
            return UnixSocket.writeAll(part[...], to: club)
        case .silence: return true
        case .answer(let data):
            guard isComplete else { return true }
            proxy.state.update { $0.requests[index].hasEnded = true }
            return UnixSocket.writeAll(Array(data)[...], to: client)
        }
    }

    private func isComplete(_ exchange: Exchange) -> Bool {
        switch exchange.body {
        case .counted(let count): exchange.received >= count
        case .chunked(let tail): tail == Array("0\r\n\r\n".utf8)
        }
    }

    private var isReleased: Bool { proxy.state.read { $0.isReleased } }

    private func isHeld(_ exchange: Exchange) -> Bool {
        guard case .hold(let limit) = exchange.behavior, !exchange.isComplete else { return false }
        return exchange.received >= limit && !isReleased
    }

    /// The club has begun to respond.
    private func finish(_ exchange: inout Exchange?) {
        guard let current = exchange, current.isComplete else { return }
        proxy.state.update { $0.requests[current.index].hasEnded = true }
    }

    /// The program has disconnected; an unfinished request counts as abandoned.
    private func abandon(_ exchange: Exchange?) {
        guard let exchange else { return }
        let now = ContinuousClock.now
        proxy.state.update { state in
            guard !state.requests[exchange.index].hasEnded else { return }
            state.requests[exchange.index].abandoned = now
        }
    }
}
