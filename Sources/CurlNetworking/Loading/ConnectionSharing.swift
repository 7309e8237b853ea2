/// Decides who opens a connection to a host with multiplexed connections, and who waits for it.
///
/// Without it, libcurl would open a connection for each of a hundred requests that start at once. Here the
/// first request opens one (it is the *opener*) and the others wait. When the connection turns out to be
/// HTTP/2, they use it as *riders*. A rider never opens a connection: if none has room, because the server's
/// stream limit is reached or the server is closing the connection, it joins again, and one of those requests
/// opens the next connection.
///
/// If the server chooses HTTP/1.1, waiting requests open connections of their own, up to the limit. A host
/// name can belong to servers of both kinds.
///
/// If some connections are multiplexed, one more than `limit` may be open, because the server may be closing
/// one.
///
/// Each wake-up names one waiter; an unused one is passed to the next.
///
/// `Ticket` identifies a request, `Place` a host and session, `Connection` a connection.
struct ConnectionSharing<Ticket: Hashable, Place: Hashable, Connection: Hashable> {
    enum Role: Hashable {
        /// It may open a connection.
        case opener
        /// It may only use an existing connection.
        case rider
        /// It waits until a function returns its ticket among those that may join now.
        case waiting
    }

    private var lines: [Place: Line] = [:]

    /// Whether the place has multiplexed connections.
    func isMultiplexed(_ place: Place) -> Bool { lines[place]?.streamCounts.isEmpty == false }

    /// Whether a connection to the place is in use.
    func isInUse(_ place: Place) -> Bool { (lines[place]?.connectionCount ?? 0) > 0 }

    /// The requests that are opening connections.
    func openers(at place: Place) -> Set<Ticket> { lines[place]?.openers ?? [] }

    /// The waiting requests, in the order of arrival.
    func waiting(at place: Place) -> [Ticket] { lines[place]?.waiting ?? [] }

    /// Assigns a role to a request.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of connections to the place.
    ///   - opensAtOnce: How many requests may be opening one at the same time.
    ///   - needsNew: Whether the request must not use existing connections.
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

    /// Passes on a wake-up that the request cannot use. Returns the request that may join instead.
    mutating func passOn(_ ticket: Ticket, at place: Place) -> [Ticket] {
        guard let line = lines[place], line.hasRoom,
            let position = line.waiting.firstIndex(of: ticket)
        else { return [] }
        // Earlier waiters would pass the wake-up back.
        return lines[place]?.call(1, after: position) ?? []
    }

    /// Records that a rider found no connection with room. It may join again.
    mutating func foundNoRoom(at place: Place) {
        lines[place]?.hasRoom = false
    }

    /// Records that a request has a multiplexed connection. Returns the requests that may join now.
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

    /// Records that a request has a connection without multiplexing. Returns the requests that may join now:
    /// up to the limit, they need not wait for each other.
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

    /// Removes a request that is complete or no longer waits. Returns the requests that may join now.
    ///
    /// - Parameter hasFailed: Whether no connection could be made. The waiting requests then try at the same
    ///   time instead of one after the other.
    mutating func leave(_ ticket: Ticket, _ place: Place, hasFailed: Bool = false) -> [Ticket] {
        guard var line = lines[place] else { return [] }
        let hadWaited = line.waiting.contains(ticket)
        line.waiting.removeAll { $0 == ticket }
        let wasCalled = line.called.remove(ticket) != nil
        if line.openers.remove(ticket) != nil, hasFailed { line.openerLimit = .max }
        // Its stream has become free, perhaps for a later request.
        if line.connections[ticket] != nil { line.hasRoom = true }
        line.drop(ticket)
        line.alone.remove(ticket)
        // A request that only waited frees nothing, unless it was woken.
        let called =
            hadWaited && !wasCalled ? [] : line.call(max(1, line.freeOpenerCount))
        lines[place] = line.isEmpty ? nil : line
        return called
    }

    /// Replaces a request's ticket.
    mutating func rename(_ ticket: Ticket, to new: Ticket, at place: Place) {
        lines[place]?.rename(ticket, to: new)
    }
}

extension ConnectionSharing {
    private struct Line {
        var limit = 1
        var opensAtOnce = 1
        var openers: Set<Ticket> = []
        /// How many may open a connection at the same time; more than one only after a failure or HTTP/1.1.
        var openerLimit = 1
        /// Whether a connection is expected to accept more streams.
        var hasRoom = false
        var connections: [Ticket: Connection] = [:]
        var streamCounts: [Connection: Int] = [:]
        /// The requests that have a connection without multiplexing.
        var alone: Set<Ticket> = []
        var waiting: [Ticket] = []
        /// The waiting requests that were woken and have not joined since.
        var called: Set<Ticket> = []

        var isEmpty: Bool {
            openers.isEmpty && connections.isEmpty && alone.isEmpty && waiting.isEmpty
        }

        var connectionCount: Int { streamCounts.count + alone.count }

        /// How many more may open a connection now.
        var freeOpenerCount: Int {
            let atOnce = min(max(openerLimit, opensAtOnce), limit) - openers.count
            // Avoids adding to the limit, which may be `Int.max`.
            let open = openers.count + connectionCount - (streamCounts.isEmpty ? 0 : 1)
            return max(0, min(atOnce, limit - open))
        }

        /// Wakes up to `count` waiting requests that were not woken yet.
        mutating func call(_ count: Int, after position: Int = -1) -> [Ticket] {
            guard count > 0, waiting.count > called.count else { return [] }
            var chosen: [Ticket] = []
            for ticket in waiting[(position + 1)...] where chosen.count < count {
                if called.insert(ticket).inserted { chosen.append(ticket) }
            }
            return chosen
        }

        /// Removes a request's stream from its connection.
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
