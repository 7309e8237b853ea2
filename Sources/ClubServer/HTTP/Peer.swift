import Glibc

/// The other side of a socket, to be watched while nothing is read from it.
struct Peer: Sendable {
    let descriptor: Int32
    let loop: EventLoop

    /// Returns when the other side has gone, or throws when the task is cancelled. What it sends
    /// meanwhile stays to be read.
    func waitUntilGone() async throws {
        while true {
            try await loop.wait(for: descriptor, toWrite: false)
            var byte: UInt8 = 0
            let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
            let count = recv(descriptor, &byte, 1, flags)
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return }
            // The next request is here already. The client is alive, and waiting for more of it
            // would wake us at once, again and again.
            if count > 0 { try await loop.sleep(for: .seconds(3600)) }
        }
    }

    /// Does what the other side waits for, and cancels it when the other side has gone.
    ///
    /// - Throws: `Connection.Failure.closed` when it has, and what `work` throws.
    func whileItWaits<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try? await waitUntilGone()
                return nil
            }
            defer { group.cancelAll() }
            guard let result = try await group.next(), let result else {
                throw Connection.Failure.closed
            }
            return result
        }
    }

    /// Drops what the other side sends, until it has gone or has sent so much.
    func drainUntilGone(atMost limit: Int = .max) async throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var drained = 0
        while drained < limit {
            let count = recv(
                descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 { return }
            if count > 0 {
                drained += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: try await loop.wait(for: descriptor, toWrite: false)
            default: return
            }
        }
    }

    /// Says that nothing more will be sent and drops what still comes, so that the client gets to
    /// read the last answer instead of a reset connection. The registry ends it in time.
    func linger(_ activity: ConnectionActivity, atMost limit: Int) async {
        activity.enter(.lingering)
        shutdown(descriptor, Int32(SHUT_WR))
        try? await drainUntilGone(atMost: limit)
    }
}
