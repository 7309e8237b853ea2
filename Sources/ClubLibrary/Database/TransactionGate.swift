internal import Glibc
internal import Synchronization

/// Lets a process be stopped between its transactions, and not in the middle of one: a stopped program keeps its
/// locks, and with them every other Byte Club out of the local copy.
final class TransactionGate: Sendable {
    static let shared = TransactionGate()

    private struct State {
        var openCount = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Runs a transaction; waits first while the gate is closed.
    func pass<Result: ~Copyable>(_ body: () throws -> Result) rethrows -> Result {
        while state.withLock({ Self.enter(&$0) }) == .closed { usleep(2_000) }
        defer { state.withLock { $0.openCount -= 1 } }
        return try body()
    }

    /// Runs a closure while no transaction is open, and none begins.
    ///
    /// - Parameter limit: How long to wait for open transactions. The closure is run then in any case: who presses `^Z`
    ///   wants the shell back.
    func close<Result>(waitingAtMost limit: Duration, _ body: () throws -> Result) rethrows
        -> Result
    {
        state.withLock { $0.isClosed = true }
        defer { state.withLock { $0.isClosed = false } }
        let end = ContinuousClock.now + limit
        while state.withLock({ $0.openCount }) > 0, ContinuousClock.now < end { usleep(2_000) }
        return try body()
    }

    private enum Entry { case entered, closed }

    private static func enter(_ state: inout State) -> Entry {
        guard !state.isClosed else { return .closed }
        state.openCount += 1
        return .entered
    }
}

extension LocalCopy {
    /// Runs a closure that stops the process, at a moment when no local copy is being written.
    public static func betweenTransactions<Result>(_ body: () throws -> Result) rethrows -> Result {
        try TransactionGate.shared.close(waitingAtMost: .seconds(2), body)
    }
}
