/// Who may connect to a host, and who waits: at most so many tasks of a session at a time.
///
/// A waiting task costs nothing; its timers do not run. Every operation takes constant time, however
/// many wait.
struct ConnectionSlots<Ticket: Hashable> {
    /// A host as one session sees it.
    struct Place: Hashable, Sendable {
        var session: Int
        var origin: Origin
        /// For tasks that need HTTP/1.1 where others may not.
        var isForHTTP1 = false
    }

    private var lines: [Place: Line] = [:]

    enum Entry {
        /// It may connect now.
        case connection
        /// It waits, behind those of its priority.
        case queue
    }

    mutating func enter(
        _ ticket: Ticket, at place: Place, limit: Int, priority: Float = 0.5
    ) -> Entry {
        if lines[place, default: Line()].taken < limit {
            lines[place, default: Line()].taken += 1
            return .connection
        }
        lines[place, default: Line()].append(ticket, priority)
        return .queue
    }

    /// More may connect now than before. Returns who, as ``release(_:limit:)`` does.
    mutating func admit(at place: Place, limit: Int) -> [Ticket] {
        var admitted: [Ticket] = []
        while let taken = lines[place]?.taken, taken < limit, let next = lines[place]?.takeFirst() {
            lines[place]?.taken += 1
            admitted.append(next)
        }
        return admitted
    }

    /// Gives a connection back. Returns who may connect now: the one of the highest priority, among
    /// equals the one that has waited longest.
    ///
    /// - Parameter limit: How many may be connected, if that may be fewer than it was.
    mutating func release(_ place: Place, limit: Int = .max) -> Ticket? {
        if lines[place].map({ $0.taken <= limit }) ?? false, let next = lines[place]?.takeFirst() {
            return next
        }
        lines[place]?.taken -= 1
        if lines[place]?.taken == 0 { lines[place] = nil }
        return nil
    }

    /// Gives up waiting.
    mutating func withdraw(_ ticket: Ticket, from place: Place) {
        lines[place]?.remove(ticket)
    }
}

extension ConnectionSlots {
    private struct Line {
        var taken = 0
        /// Those who wait, with their priority. An entry of a queue that is not here, or here with
        /// another priority, is stale.
        private var waiting: [Ticket: Float] = [:]
        private var queues: [Float: Queue] = [:]

        struct Queue {
            var tickets: [Ticket] = []
            var next = 0
        }

        mutating func append(_ ticket: Ticket, _ priority: Float) {
            waiting[ticket] = priority
            queues[priority, default: Queue()].tickets.append(ticket)
        }

        mutating func remove(_ ticket: Ticket) {
            waiting[ticket] = nil
        }

        mutating func takeFirst() -> Ticket? {
            while let priority = queues.keys.max() {
                while let ticket = takeFirst(of: priority) {
                    guard waiting[ticket] == priority else { continue }
                    waiting[ticket] = nil
                    return ticket
                }
                queues[priority] = nil
            }
            return nil
        }

        private mutating func takeFirst(of priority: Float) -> Ticket? {
            guard let queue = queues[priority], queue.next < queue.tickets.count else { return nil }
            queues[priority]?.next += 1
            return queue.tickets[queue.next]
        }
    }
}
