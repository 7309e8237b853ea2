import Glibc

/// The peer of a socket, observed while nothing is read from it.
struct Peer: Sendable {
    let descriptor: Int32
    let loop: EventLoop

    /// Returns when the peer has disconnected, or throws when the task is cancelled. Received bytes
    /// stay unread.
    func waitUntilGone() async throws {
        while true {
            try await loop.wait(for: descriptor, toWrite: false)
            var byte: UInt8 = 0
            let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
            let count = recv(descriptor, &byte, 1, flags)
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { return }
            // The next request has already arrived. The client is alive, and polling for more would
            // wake up at once, repeatedly.
            if count > 0 { try await loop.sleep(for: .seconds(3600)) }
        }
    }

    /// Performs work for a waiting peer, and cancels it when the peer disconnects.
    ///
    /// - Throws: `Connection.Failure.closed` when it has disconnected, and what `work` throws.
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

    /// Discards received bytes until the peer disconnects or the limit is reached.
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

    /// Shuts down sending and discards what still arrives, so that the client can read the last
    /// response instead of getting a reset. The registry closes the connection in time.
    func linger(_ activity: ConnectionActivity, atMost limit: Int) async {
        activity.enter(.lingering)
        shutdown(descriptor, Int32(SHUT_WR))
        try? await drainUntilGone(atMost: limit)
    }
}
