import Dispatch
import FoundationEssentials
import Synchronization

extension URLSession {
    private static let storageQueue = DispatchQueue(
        label: "CurlNetworking.storage", qos: .utility)

    func flushStorages(then completionHandler: @escaping @Sendable () -> Void) {
        noteNewConnectionsOnly()
        Self.storageQueue.async { @Sendable [self] in
            settings.web.cookies?.flush()
            settings.web.hsts?.flush()
            guard let cache = settings.web.cache else {
                return callbackQueue.async { completionHandler() }
            }
            // Runs after the pending writes.
            cache.queue.async { [callbackQueue] in callbackQueue.async { completionHandler() } }
        }
    }

    /// Writes the session's storages to disk. See `flush(completionHandler:)`.
    public func flush() async {
        await withCheckedContinuation { continuation in
            flush { continuation.resume() }
        }
    }

    func emptyStorages(then completionHandler: @escaping @Sendable () -> Void) {
        noteNewConnectionsOnly()
        authenticationCache.withLock { $0.forgetAll() }
        Self.storageQueue.async { @Sendable [self] in
            settings.web.cookies?.removeCookies(since: .distantPast)
            settings.web.cookies?.flush()
            settings.web.hsts?.removeAll()
            settings.web.hsts?.flush()
            settings.web.cache?.removeAllCachedResponses()
            settings.credentialStorage?.removeAll()
            callbackQueue.async { completionHandler() }
        }
    }

    /// Empties the session's storages. See `reset(completionHandler:)`.
    public func reset() async {
        await withCheckedContinuation { continuation in
            reset { continuation.resume() }
        }
    }

    // MARK: - New connections

    private func noteNewConnectionsOnly() {
        let cut = ConnectionCut(
            time: DispatchTime.now().uptimeNanoseconds, number: Self.makeNumber())
        connectionCut.withLock { $0 = cut }
    }

    /// The time since the last `flush` or `reset`; nil if there was none.
    var secondsSinceReset: Int? {
        connectionCut.withLock { $0 }.map {
            Int((DispatchTime.now().uptimeNanoseconds - $0.time) / 1_000_000_000)
        }
    }
}

/// A time after which a session uses new connections only.
struct ConnectionCut {
    /// Nanoseconds of the monotonic clock.
    var time: UInt64
    /// Distinguishes this cut from others, including those of other sessions.
    var number: Int
}
