import Dispatch
import FoundationEssentials
import Synchronization

extension URLSession {
    private static let storageQueue = DispatchQueue(
        label: "CurlNetworking.storage", qos: .utility)

    /// Brings cookies, TLS-only hosts and the cached answers of completed tasks that were not written yet to the disk,
    /// lets further requests of the session use new connections, and then calls back on `delegateQueue`.
    public func flush(completionHandler: @escaping @Sendable () -> Void) {
        noteNewConnectionsOnly()
        Self.storageQueue.async { @Sendable [self] in
            settings.web.cookies?.flush()
            settings.web.hsts?.flush()
            guard let cache = settings.web.cache else {
                return callbackQueue.async { completionHandler() }
            }
            // Behind what it has to write.
            cache.queue.async { [callbackQueue] in callbackQueue.async { completionHandler() } }
        }
    }

    /// Like `flush(completionHandler:)`.
    public func flush() async {
        await withCheckedContinuation { continuation in
            flush { continuation.resume() }
        }
    }

    /// Empties the session's cookie, HSTS, cache and credential storages, those on the disk too, forgets who
    /// was logged in, lets further requests use new connections, and then calls back on `delegateQueue`.
    ///
    /// Storages that are shared, as those of `.default` configurations are, become empty for all that
    /// share them.
    public func reset(completionHandler: @escaping @Sendable () -> Void) {
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

    /// Like `reset(completionHandler:)`.
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

    /// How long ago the last `flush` or `reset` was; nil when there was none.
    var secondsSinceReset: Int? {
        connectionCut.withLock { $0 }.map {
            Int((DispatchTime.now().uptimeNanoseconds - $0.time) / 1_000_000_000)
        }
    }
}

/// A moment from which on a session uses new connections only.
struct ConnectionCut {
    /// In nanoseconds of the monotonic clock.
    var time: UInt64
    /// Tells it from other cuts, and from sessions.
    var number: Int
}
