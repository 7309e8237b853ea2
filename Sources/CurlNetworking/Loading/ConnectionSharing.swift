/// Who opens a connection to a host whose connections may carry many requests at a time, and who waits for it.
///
/// libcurl would open a connection for each of a hundred requests that begin at once. So the first one of them opens
/// it; the others wait, and ride on it when it has turned out to be HTTP/2. A rider never opens one: when there is no
/// room for it (the server's limit of streams is reached, or the server is closing the connection) it comes back here,
/// and one of those who came back opens the next connection.
///
/// Beyond `limit` connections with streams one more may be opened, since the server may be closing one of them.
struct ConnectionSharing<Ticket: Hashable, Place: Hashable, Connection: Hashable> {
    enum Role: Hashable {
        /// It may open a connection.
        case opener
        /// It may only use a connection that is there.
        case rider
        /// It waits until it is named by ``connected(_:on:at:)`` or ``leave(_:_:hasFailed:)``.
        case waiting
    }

    private struct Line {
        var openers: Set<Ticket> = []
        /// How many may open one at a time: more than one only after one could not.
        var openerLimit = 1
        /// Whether a connection is thought to take more streams.
        var hasRoom = false
        var connections: [Ticket: Connection] = [:]
        var streamCounts: [Connection: Int] = [:]
        var waiting: [Ticket] = []

        var isEmpty: Bool { openers.isEmpty && connections.isEmpty && waiting.isEmpty }
    }

    private var lines: [Place: Line] = [:]

    /// Whether a connection of the place carries several requests at a time, or could.
    func isMultiplexed(_ place: Place) -> Bool { lines[place]?.streamCounts.isEmpty == false }

    /// - Parameters:
    ///   - limit: How many connections there may be to the place.
    ///   - opensAtOnce: How many may open one at a time.
    mutating func join(
        _ ticket: Ticket, _ place: Place, limit: Int, opensAtOnce: Int = 1
    ) -> Role {
        var line = lines[place] ?? Line()
        defer { lines[place] = line }
        if line.hasRoom {
            line.waiting.removeAll { $0 == ticket }
            return .rider
        }
        if line.openers.contains(ticket) { return .opener }
        let openerLimit = min(max(line.openerLimit, opensAtOnce), limit)
        if line.openers.count < openerLimit, line.streamCounts.count <= limit {
            line.waiting.removeAll { $0 == ticket }
            line.openers.insert(ticket)
            return .opener
        }
        if !line.waiting.contains(ticket) { line.waiting.append(ticket) }
        return .waiting
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
        drop(ticket, from: &line)
        line.connections[ticket] = connection
        line.streamCounts[connection, default: 0] += 1
        guard line.openers.remove(ticket) != nil else { return [] }
        line.hasRoom = true
        line.openerLimit = 1
        return line.waiting
    }

    /// A request has a connection that carries one at a time. Nobody waits for another there any more; returns those
    /// who did.
    mutating func connectedAlone(at place: Place) -> [Ticket] {
        lines.removeValue(forKey: place)?.waiting ?? []
    }

    /// A request is over, or gives up its turn. Returns who may join now.
    ///
    /// - Parameter hasFailed: Whether no connection could be made: then those who wait are not to try it one after
    ///   another, each for as long as the first.
    mutating func leave(_ ticket: Ticket, _ place: Place, hasFailed: Bool = false) -> [Ticket] {
        guard var line = lines[place] else { return [] }
        line.waiting.removeAll { $0 == ticket }
        let wasOpener = line.openers.remove(ticket) != nil
        let hadStream = line.connections[ticket] != nil
        drop(ticket, from: &line)
        if wasOpener, hasFailed { line.openerLimit = .max }
        // Its stream has left room for one.
        if hadStream, !line.waiting.isEmpty { line.hasRoom = true }
        lines[place] = line.isEmpty ? nil : line
        if hadStream { return Array(line.waiting.prefix(1)) }
        return wasOpener || line.openers.isEmpty ? line.waiting : []
    }

    /// A request goes on under another ticket.
    mutating func rename(_ ticket: Ticket, to new: Ticket, at place: Place) {
        guard var line = lines[place] else { return }
        if line.openers.remove(ticket) != nil { line.openers.insert(new) }
        if let connection = line.connections.removeValue(forKey: ticket) {
            line.connections[new] = connection
        }
        line.waiting = line.waiting.map { $0 == ticket ? new : $0 }
        lines[place] = line
    }

    private func drop(_ ticket: Ticket, from line: inout Line) {
        guard let connection = line.connections.removeValue(forKey: ticket) else { return }
        let left = (line.streamCounts[connection] ?? 1) - 1
        line.streamCounts[connection] = left > 0 ? left : nil
    }
}
