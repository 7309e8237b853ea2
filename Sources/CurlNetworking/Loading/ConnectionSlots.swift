/// Who may connect to a host, and who waits: at most so many tasks of a session at a time.
///
/// A waiting task costs nothing; its timers do not run.
struct ConnectionSlots<Ticket: Hashable> {
    /// A host as one session sees it.
    struct Place: Hashable, Sendable {
        var session: Int
        var origin: Origin
    }

    private struct Line {
        var taken = 0
        var waiting: [Ticket] = []
    }

    private var lines: [Place: Line] = [:]

    /// Returns whether the task may connect now; if not it waits.
    mutating func enter(_ ticket: Ticket, at place: Place, limit: Int) -> Bool {
        if lines[place, default: Line()].taken < limit {
            lines[place, default: Line()].taken += 1
            return true
        }
        lines[place, default: Line()].waiting.append(ticket)
        return false
    }

    /// Gives a connection back. Returns who may connect now: the one of the highest priority, among
    /// equals the one that has waited longest.
    mutating func leave(_ place: Place, priority: (Ticket) -> Float) -> Ticket? {
        guard var line = lines[place] else { return nil }
        var best: (index: Int, priority: Float)?
        for (index, ticket) in line.waiting.enumerated() {
            let its = priority(ticket)
            if best.map({ its > $0.priority }) ?? true { best = (index, its) }
        }
        guard let best else {
            line.taken -= 1
            lines[place] = line.taken > 0 ? line : nil
            return nil
        }
        let ticket = line.waiting.remove(at: best.index)
        lines[place] = line
        return ticket
    }

    /// Gives up waiting.
    mutating func withdraw(_ ticket: Ticket, from place: Place) {
        lines[place]?.waiting.removeAll { $0 == ticket }
    }
}
