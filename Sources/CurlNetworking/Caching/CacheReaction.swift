import FoundationEssentials

/// What an answer from the server means to the cache and to the task.
struct CacheReaction: Hashable, Sendable {
    enum Answer: Hashable, Sendable {
        /// The server's, and it is to be stored under this head.
        case serverAndStore(StoredHead)
        /// The server's; under this head it is not worth storing, but a delegate may give it a better one.
        case serverAndPropose(StoredHead)
        /// The server's.
        case server
        /// The stored body, under this head.
        case stored(StoredHead)
    }

    var answer: Answer
    /// The head the stored answer is to have from now on.
    var update: StoredHead?
    /// URLs whose stored answers are not to be used again.
    var removals: [URL] = []

    /// - Parameters:
    ///   - request: As it was sent, without the fields the cache added.
    ///   - stores: Whether the decision allowed storing.
    ///   - stored: What was there before; with `isRevalidation` the server was asked about it.
    static func to(
        _ response: ResponseHead, for request: URLRequest, stores: Bool, stored: StoredHead?,
        isRevalidation: Bool, requestTime: Date, responseTime: Date
    ) -> CacheReaction {
        guard let url = request.url else { return CacheReaction(answer: .server) }
        let removals = CacheInvalidation.urls(for: request, response)
        if !removals.isEmpty { return CacheReaction(answer: .server, removals: removals) }
        let times = (request: requestTime, response: responseTime)
        if let stored, isRevalidation, response.status == 304 {
            return confirmed(stored, by: response, times)
        }
        if let stored, (500...599).contains(response.status),
            mayStandIn(stored, for: response.status, request: request, now: responseTime)
        {
            return CacheReaction(answer: .stored(stored))
        }
        if let stored, request.method == "HEAD" { return afterHead(stored, response, url, times) }
        let fresh = StoredHead(
            url: url, status: response.status, headers: response.headers.storable,
            request: request.headers, requestTime: requestTime, responseTime: responseTime)
        if stores, CacheStorability.mayStore(fresh, for: request) {
            return CacheReaction(answer: .serverAndStore(fresh))
        }
        // What is there is out of date, even if its successor may not be kept.
        let isSuperseded =
            CacheDecision.isCacheable(request) && request.method == "GET"
            && response.status < 500
        let isProposed = stores && CacheStorability.mayPropose(fresh, for: request)
        return CacheReaction(
            answer: isProposed ? .serverAndPropose(fresh) : .server,
            removals: isSuperseded ? [url] : [])
    }

    /// A 304 (§4.3.4). One that names another version than ours confirms ours for now, but nothing of
    /// it is taken over.
    private static func confirmed(
        _ stored: StoredHead, by response: ResponseHead, _ times: (request: Date, response: Date)
    ) -> CacheReaction {
        if let tag = response.headers["ETag"], let ours = stored.entityTag, tag != ours,
            !tag.hasPrefix("W/"), !ours.hasPrefix("W/")
        {
            return CacheReaction(answer: .stored(stored))
        }
        let updated = stored.updated(by: response.headers, times)
        return CacheReaction(answer: .stored(updated), update: updated)
    }

    /// The answer to a HEAD freshens what a GET has stored, or shows that it is out of date (§4.3.5).
    private static func afterHead(
        _ stored: StoredHead, _ response: ResponseHead, _ url: URL,
        _ times: (request: Date, response: Date)
    ) -> CacheReaction {
        guard response.status == 200, stored.status == 200 else {
            return CacheReaction(answer: .server)
        }
        let isSame = ["ETag", "Last-Modified", "Content-Length"].allSatisfy { name in
            response.headers[name].map { $0 == stored.headers[name] } ?? true
        }
        return isSame
            ? CacheReaction(answer: .server, update: stored.updated(by: response.headers, times))
            : CacheReaction(answer: .server, removals: [url])
    }

    /// Whether a stored answer may be given where the server failed (RFC 5861 §4).
    ///
    /// - Parameter status: The server's; nil when there was no answer at all.
    static func mayStandIn(
        _ stored: StoredHead, for status: Int?, request: URLRequest, now: Date
    ) -> Bool {
        guard status.map({ [500, 502, 503, 504].contains($0) }) ?? true,
            CacheDecision.isCacheable(request)
        else { return false }
        let answer = stored.cacheControl
        guard !answer.has("must-revalidate"), !answer.hasUnqualified("no-cache") else {
            return false
        }
        let control = CacheDecision.requestControl(of: request)
        let allowed = [
            answer.secondsOrAny("stale-if-error"), control.secondsOrAny("stale-if-error"),
        ]
        .compactMap(\.self).max()
        guard let allowed else { return false }
        return stored.age(at: now) - stored.lifetime <= allowed
    }
}
