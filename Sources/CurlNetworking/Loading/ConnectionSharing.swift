/// Who opens a connection to a host whose connections may carry many requests at a time, and who waits for it.
///
/// libcurl would open a connection for each of a hundred requests that begin at once. So the first one of them opens
/// it; the others wait, and ride on it when it has turned out to be HTTP/2. A rider never opens one: when there is no
/// room for it (the server's limit of streams is reached, or the server is closing the connection) it comes back here,
/// and one of those who came back opens the next connection.
///
/// Where a server chooses HTTP/1.1, those who wait open connections of their own, as many as the limit allows. Behind one
/// name there may be servers of both kinds.
///
/// Beyond `limit` connections one more may be opened where some have streams, since the server may be closing one.
///
/// Who waits is called once for each reason to join again, and nobody is called for another's reason: a call that is not
/// used is passed on.
struct ConnectionSharing<Ticket: Hashable, Place: Hashable, Connection: Hashable> {
    enum Role: Hashable {
        /// It may open a connection.
        case opener
        /// It may only use a connection that is there.
        case rider
        /// It waits until it is called: named by a function that returns who may join now.
        case waiting
    }

    private var lines: [Place: Line] = [:]

    /// Whether a connection of the place carries several requests at a time, or could.
    func isMultiplexed(_ place: Place) -> Bool { lines[place]?.streamCounts.isEmpty == false }

    /// Whether a connection of the place is in use.
    func isInUse(_ place: Place) -> Bool { (lines[place]?.connectionCount ?? 0) > 0 }

    /// Those who open connections now.
    func openers(at place: Place) -> Set<Ticket> { lines[place]?.openers ?? [] }

    /// Those who wait, the first to come first.
    func waiting(at place: Place) -> [Ticket] { lines[place]?.waiting ?? [] }

    /// - Parameters:
    ///   - limit: How many connections there may be to the place.
    ///   - opensAtOnce: How many may open one at a time.
    ///   - needsNew: Whether no connection that is there will do.
    mutating func join(
        _ ticket: Ticket, _ place: Place, limit: Int, opensAtOnce: Int = 1, needsNew: Bool = false
    ) -> Role {
        var line = lines[place] ?? Line()
        defer { lines[place] = line }
        line.limit = limit
        line.opensAtOnce = opensAtOnce
        line.called.remove(ticket)
        if line.hasRoom, !needsNew {
            line.waiting.removeAll { $0 == ticket }
            return .rider
        }
        if line.openers.contains(ticket) { return .opener }
        if line.freeOpenerCount > 0 {
            line.waiting.removeAll { $0 == ticket }
            line.openers.insert(ticket)
            return .opener
        }
        if !line.waiting.contains(ticket) { line.waiting.append(ticket) }
        return .waiting
    }

    /// Who was called has come, and what it was called for is of no use to it. Returns who may join in its place.
    mutating func passOn(_ ticket: Ticket, at place: Place) -> [Ticket] {
        guard let line = lines[place], line.hasRoom,
            let position = line.waiting.firstIndex(of: ticket)
        else { return [] }
        // Not one before it, which would pass the call back to it.
        return lines[place]?.call(1, after: position) ?? []
    }

    /// A rider has found no connection with room for it. It may join again.
    mutating func foundNoRoom(at place: Place) {
        lines[place]?.hasRoom = false
    }

    /// A request has a connection that carries many. Returns who may join now.
    mutating func connected(
        _ ticket: Ticket, on connection: Connection, at place: Place
    ) -> [Ticket] {
        var line = lines[place] ?? Line()
        defer { lines[place] = line }
        line.drop(ticket)
        line.connections[ticket] = connection
        line.streamCounts[connection, default: 0] += 1
        guard line.openers.remove(ticket) != nil else { return [] }
        line.hasRoom = true
        line.openerLimit = 1
        return line.call(.max)
    }

    /// A request has a connection that carries one at a time. Returns who may join now: they need not wait for each
    /// other there, within the limit.
    mutating func connectedAlone(_ ticket: Ticket, at place: Place) -> [Ticket] {
        var line = lines[place] ?? Line()
        defer { lines[place] = line }
        line.drop(ticket)
        line.openers.remove(ticket)
        let isFirst = line.alone.isEmpty
        line.alone.insert(ticket)
        line.openerLimit = .max
        return line.call(isFirst ? .max : line.freeOpenerCount)
    }

    /// A request is over, or gives up its turn. Returns who may join now.
    ///
    /// - Parameter hasFailed: Whether no connection could be made: then those who wait are not to try it one after
    ///   another, each for as long as the first.
    mutating func leave(_ ticket: Ticket, _ place: Place, hasFailed: Bool = false) -> [Ticket] {
        guard var line = lines[place] else { return [] }
        let hadWaited = line.waiting.contains(ticket)
        line.waiting.removeAll { $0 == ticket }
        let wasCalled = line.called.remove(ticket) != nil
        if line.openers.remove(ticket) != nil, hasFailed { line.openerLimit = .max }
        // Its stream has left room for one, be it for one that is yet to come.
        if line.connections[ticket] != nil { line.hasRoom = true }
        line.drop(ticket)
        line.alone.remove(ticket)
        // One that waited leaves nothing to others, unless it was called.
        let called =
            hadWaited && !wasCalled ? [] : line.call(max(1, line.freeOpenerCount))
        lines[place] = line.isEmpty ? nil : line
        return called
    }

    /// A request goes on under another ticket.
    mutating func rename(_ ticket: Ticket, to new: Ticket, at place: Place) {
        lines[place]?.rename(ticket, to: new)
    }
}

extension ConnectionSharing {
    private struct Line {
        var limit = 1
        var opensAtOnce = 1
        var openers: Set<Ticket> = []
        /// How many may open one at a time: more than one only after one could not, or was given HTTP/1.1.
        var openerLimit = 1
        /// Whether a connection is thought to take more streams.
        var hasRoom = false
        var connections: [Ticket: Connection] = [:]
        var streamCounts: [Connection: Int] = [:]
        /// Those who have a connection for themselves.
        var alone: Set<Ticket> = []
        var waiting: [Ticket] = []
        /// Those of them who were called and have not joined since.
        var called: Set<Ticket> = []

        var isEmpty: Bool {
            openers.isEmpty && connections.isEmpty && alone.isEmpty && waiting.isEmpty
        }

        var connectionCount: Int { streamCounts.count + alone.count }

        /// How many more may open a connection now.
        var freeOpenerCount: Int {
            let atOnce = min(max(openerLimit, opensAtOnce), limit) - openers.count
            // Without a sum: the limit may be as large as it gets.
            let open = openers.count + connectionCount - (streamCounts.isEmpty ? 0 : 1)
            return max(0, min(atOnce, limit - open))
        }

        /// Calls so many of those who wait and were not called yet.
        mutating func call(_ count: Int, after position: Int = -1) -> [Ticket] {
            guard count > 0, waiting.count > called.count else { return [] }
            var chosen: [Ticket] = []
            for ticket in waiting[(position + 1)...] where chosen.count < count {
                if called.insert(ticket).inserted { chosen.append(ticket) }
            }
            return chosen
        }

        /// Takes its connection from a request.
        mutating func drop(_ ticket: Ticket) {
            guard let connection = connections.removeValue(forKey: ticket) else { return }
            let left = (streamCounts[connection] ?? 1) - 1
            streamCounts[connection] = left > 0 ? left : nil
        }

        mutating func rename(_ ticket: Ticket, to new: Ticket) {
            if openers.remove(ticket) != nil { openers.insert(new) }
            if alone.remove(ticket) != nil { alone.insert(new) }
            if called.remove(ticket) != nil { called.insert(new) }
            if let connection = connections.removeValue(forKey: ticket) {
                connections[new] = connection
            }
            waiting = waiting.map { $0 == ticket ? new : $0 }
        }
    }
}
