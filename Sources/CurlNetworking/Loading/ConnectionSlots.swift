/// Limits how many tasks of a session may use connections to a host at a time, and queues the others.
///
/// The timers of a queued task do not run. The time of an operation depends on the number of priorities in use, not of tasks.
struct ConnectionSlots<Ticket: Hashable> {
    /// A host, per session.
    struct Place: Hashable, Sendable {
        var session: Int
        var origin: Origin
        /// Whether it is the queue of tasks that need HTTP/1.1 at a host with multiplexed connections.
        var isForHTTP1 = false
    }

    private var lines: [Place: Line] = [:]

    enum Entry {
        /// It may connect now.
        case connection
        /// It is queued behind tasks of its priority.
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

    /// Takes tasks from the queue after the limit has increased. Returns those that may connect now.
    mutating func admit(at place: Place, limit: Int) -> [Ticket] {
        var admitted: [Ticket] = []
        while let taken = lines[place]?.taken, taken < limit, let next = lines[place]?.takeFirst() {
            lines[place]?.taken += 1
            admitted.append(next)
        }
        return admitted
    }

    /// Releases a slot. Returns the task that may connect now: the longest waiting of the highest priority.
    ///
    /// - Parameter limit: The maximum number of connected tasks, if it may have decreased.
    mutating func release(_ place: Place, limit: Int = .max) -> Ticket? {
        if lines[place].map({ $0.taken <= limit }) ?? false, let next = lines[place]?.takeFirst() {
            return next
        }
        lines[place]?.taken -= 1
        if lines[place]?.taken == 0 { lines[place] = nil }
        return nil
    }

    /// Removes a task from the queue.
    mutating func withdraw(_ ticket: Ticket, from place: Place) {
        lines[place]?.remove(ticket)
    }
}

extension ConnectionSlots {
    private struct Line {
        var taken = 0
        /// The waiting tasks with their priorities. An entry of a queue is stale if its ticket is missing
        /// here or has another priority.
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
