import Foundation

/// A pipe between Byte Club and its embedded club that cuts, slows down and corrupts what passes, at given bytes.
///
/// It replaces the club's socket, as ``ClubProxy`` does, and knows nothing of HTTP.
public final class FaultPipe: Sendable {
    public enum Way: Sendable { case up, down }

    public enum Fault: Sendable {
        /// Closes the connection.
        case cut
        /// Lets the next 64 KiB pass in small pieces.
        case slow
        /// Flips a bit in the middle of a body.
        case corrupt
        /// Has somebody do something before anything more passes.
        case pause(@Sendable () -> Void)
    }

    /// What happens once so many bytes have passed on a way, counted from the fault before.
    public struct Plan: Sendable {
        public var fault: Fault
        public var way: Way
        public var byteCount: Int

        public init(_ fault: Fault, on way: Way, after byteCount: Int) {
            self.fault = fault
            self.way = way
            self.byteCount = byteCount
        }
    }

    private struct State {
        var plans: [Plan] = []
        var slowByteCount = 0
        var firedCount = 0
        var isClosed = false
    }

    private let state = Watched(State())
    private let socketPath: String
    private let club: String
    private let listener: Int32
    /// Keeps the club running while nobody else needs it: between one program that was killed and the next.
    private let lease: Int32

    /// - Parameter socket: The club's current socket.
    public init(takingThePlaceOf socket: String) throws {
        socketPath = socket
        club = socket + ".club"
        guard rename(socket, club) == 0 else { throw POSIXError(.ENOENT) }
        listener = try UnixSocket.listen(at: socket)
        lease = try UnixSocket.connect(to: club)
        Thread.detachNewThread { self.accept() }
    }

    deinit {
        close(listener)
        close(lease)
    }

    /// Restores the club's socket.
    public func stop() {
        let wasOpen = state.update { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard wasOpen else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        rename(club, socketPath)
    }

    /// What happens from now on, one after the other.
    public func plan(_ plans: [Plan]) { state.update { $0.plans = plans } }

    /// How many faults have happened so far.
    public var firedCount: Int { state.read { $0.firedCount } }

    private func accept() {
        while !state.read({ $0.isClosed }) {
            let client = UnixSocket.accept(on: listener)
            guard client >= 0 else { return }
            Thread.detachNewThread { self.pass(client) }
        }
    }

    private func pass(_ client: Int32) {
        defer { close(client) }
        guard let club = try? UnixSocket.connect(to: club) else { return }
        defer { close(club) }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            var watched = [client, club].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&watched, 2, -1) >= 0 || errno == EINTR else { return }
            for (index, way) in [Way.up, .down].enumerated() where watched[index].revents != 0 {
                let count = read(index == 0 ? client : club, &buffer, buffer.count)
                guard count > 0, pass(&buffer, count, way, to: index == 0 ? club : client) == .open
                else { return }
            }
        }
    }

    private enum Outcome { case open, closed }

    private func pass(
        _ buffer: inout [UInt8], _ count: Int, _ way: Way, to descriptor: Int32
    ) -> Outcome {
        var isSlow = false
        let fault: Fault? = state.update { state in
            isSlow = state.slowByteCount > 0
            state.slowByteCount = max(0, state.slowByteCount - count)
            guard let plan = state.plans.first, plan.way == way else { return nil }
            state.plans[0].byteCount -= count
            guard state.plans[0].byteCount < 0 else { return nil }
            // Heads are short: what fills the buffer is of a body.
            if case .corrupt = plan.fault, count < buffer.count { return nil }
            state.plans.removeFirst()
            state.firedCount += 1
            if case .slow = plan.fault { state.slowByteCount = 64 << 10 }
            return plan.fault
        }
        switch fault {
        case .cut: return .closed
        case .corrupt: buffer[count / 2] ^= 1
        case .pause(let action): action()
        case .slow, nil: break
        }
        var rest = buffer[..<count]
        while !rest.isEmpty {
            let piece = rest.prefix(isSlow ? 512 : rest.count)
            if isSlow { poll(nil, 0, 1) }
            guard UnixSocket.writeAll(piece, to: descriptor) else { return .closed }
            rest = rest.dropFirst(piece.count)
        }
        return .open
    }
}
