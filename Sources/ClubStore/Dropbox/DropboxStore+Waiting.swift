import CurlNetworking
import DropboxAPI
import Synchronization

extension DropboxStore {
    @concurrent public func waitForChanges(
        after cursor: Cursor, atMost longest: Duration
    ) async throws(StoreError) -> Bool {
        let deadline = ContinuousClock.now + longest
        try await obeyBackoff(until: deadline)
        let rest = deadline - .now
        guard rest > .zero else { return false }
        // The server's minimum is 30 seconds: we close the connection when our time is
        // up.
        let seconds = UInt64(min(max(rest / .seconds(1), 30), 480))
        return try await PollTimeout.wait(atMost: rest) { [self] () throws(StoreError) in
            try await poll(cursor, seconds: seconds)
        } == .changes
    }

    /// One long poll. The server adds up to 90 seconds of jitter, so that clients do not
    /// reconnect all at once.
    private func poll(
        _ cursor: Cursor, seconds: UInt64
    ) async throws(StoreError) -> PollResult {
        var call = try DropboxCall(
            Routes.longpoll, ListFolderLongpollArg(cursor: cursor.rawValue, timeout: seconds))
        call.timeout = .seconds(seconds + 90 + 15)
        let longCall = call
        let answer = try await connection.send(
            during: .waitForChanges, at: nil, policy: configuration.policy,
            makeCall: { longCall },
            perform: { [waitingLoader] request throws(HTTPLoader.Failure) in
                try await waitingLoader.load(request, limit: 1 << 16)
            })
        let result: ListFolderLongpollResult = try decode(
            answer.body, during: .waitForChanges, at: nil)
        let backoff = result.backoff.map { Duration.seconds(min($0, 3600)) }
        nextPoll.withLock { $0 = backoff.map { .now + $0 } }
        return result.changes ? .changes : .nothing
    }

    /// The server may ask clients to back off.
    private func obeyBackoff(until deadline: ContinuousClock.Instant) async throws(StoreError) {
        guard let next = nextPoll.withLock({ $0 }), next > .now else { return }
        try await configuration.clock.wait(
            min(next, deadline) - .now, during: .waitForChanges, at: nil)
    }
}
