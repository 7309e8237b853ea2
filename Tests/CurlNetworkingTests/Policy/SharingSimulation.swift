import TestSupport

@testable import CurlNetworking

/// Requests at one server, of whose connections some carry several and some one, driven by chance as the engine would.
struct SharingSimulation {
    let limit: Int
    private(set) var mostConnections = 0
    /// Those who wait at the end although they could go on.
    private(set) var forgotten: [Int] = []

    private var random: SeededGenerator
    private var sharing = ConnectionSharing<Int, String, Int>()
    private let streamLimit: Int
    /// Of those that take several requests.
    private var streams: [Int: Set<Int>] = [:]
    private var alone: Set<Int> = []
    private var opening: Set<Int> = []
    private var riding: Set<Int> = []
    private var waiting: Set<Int> = []
    private var called: [Int] = []
    /// Of the requests under way, those that stay.
    private var endless: Set<Int> = []
    private var needsNew: Set<Int> = []
    private var next = 0
    private let share: Int

    private let place = "a.test"

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        limit = Int.random(in: 1...3, using: &random)
        streamLimit = Int.random(in: 1...3, using: &random)
        // How many in ten connections carry one request alone.
        share = [0, 0, 3, 10].randomElement(using: &random) ?? 0
    }

    mutating func run() {
        for _ in 0..<300 {
            step()
            count()
        }
        // Nobody comes any more, and all ends but what stays: those who wait have their turn.
        // All are called when a connection is made, so it takes their number squared.
        var steps = 0
        while !isAtRest, steps < 100_000 {
            settle()
            steps += 1
        }
        let hasRoom = streams.values.contains { $0.count < streamLimit }
        let mayOpen = streams.count + alone.count < limit
        forgotten = waiting.sorted().filter {
            !isAtRest || mayOpen || (hasRoom && !needsNew.contains($0))
        }
    }

    private var isAtRest: Bool {
        opening.isEmpty && riding.isEmpty && called.isEmpty && underWay.isSubset(of: endless)
    }

    private var underWay: Set<Int> { streams.values.reduce(alone) { $0.union($1) } }

    private mutating func count() {
        mostConnections = max(mostConnections, streams.count + alone.count + opening.count)
    }

    private func chance(_ set: Set<Int>) -> Int? {
        var random = random
        return set.sorted().randomElement(using: &random)
    }

    private mutating func step() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2: come()
        case 3: if let ticket = chance(opening) { connect(ticket) }
        case 4: if let ticket = chance(riding) { ride(ticket) }
        case 5, 6: if let ticket = chance(underWay.subtracting(endless)) { end(ticket) }
        case 7: if let ticket = chance(opening.union(riding).union(waiting)) { giveUp(ticket) }
        default: if !called.isEmpty { join(called.removeFirst()) }
        }
    }

    private mutating func settle() {
        if !called.isEmpty { return join(called.removeFirst()) }
        if let ticket = chance(opening) { return connect(ticket) }
        if let ticket = chance(riding) { return ride(ticket) }
        if let ticket = chance(underWay.subtracting(endless)) { end(ticket) }
    }

    private mutating func come() {
        next += 1
        // A few stay: they must not be what others depend on.
        if next % 9 == 0, endless.count < streamLimit { endless.insert(next) }
        if next % 7 == 0 { needsNew.insert(next) }
        join(next)
    }

    private mutating func join(_ ticket: Int) {
        waiting.remove(ticket)
        let isNew = needsNew.contains(ticket)
        switch sharing.join(ticket, place, limit: limit, needsNew: isNew) {
        case .opener: opening.insert(ticket)
        case .rider: riding.insert(ticket)
        case .waiting:
            waiting.insert(ticket)
            if isNew { called += sharing.passOn(ticket, at: place) }
        }
    }

    private mutating func connect(_ ticket: Int) {
        opening.remove(ticket)
        switch Int.random(in: 0..<10, using: &random) {
        case 9:
            called += sharing.leave(ticket, place, hasFailed: true)
        case 0..<share:
            alone.insert(ticket)
            called += sharing.connectedAlone(ticket, at: place)
        default:
            streams[ticket] = [ticket]
            called += sharing.connected(ticket, on: ticket, at: place)
        }
    }

    private mutating func ride(_ ticket: Int) {
        riding.remove(ticket)
        let free = streams.filter { $0.value.count < streamLimit }.keys.min()
        guard let free else {
            sharing.foundNoRoom(at: place)
            called += sharing.leave(ticket, place)
            return join(ticket)
        }
        streams[free]?.insert(ticket)
        called += sharing.connected(ticket, on: free, at: place)
    }

    private mutating func end(_ ticket: Int) {
        alone.remove(ticket)
        for connection in streams.keys { streams[connection]?.remove(ticket) }
        streams = streams.filter { !$0.value.isEmpty }
        called += sharing.leave(ticket, place)
    }

    private mutating func giveUp(_ ticket: Int) {
        opening.remove(ticket)
        riding.remove(ticket)
        waiting.remove(ticket)
        called.removeAll { $0 == ticket }
        called += sharing.leave(ticket, place)
    }
}
