import FoundationEssentials

/// What a response of the server means for the cache and the task.
struct CacheReaction: Hashable, Sendable {
    enum Answer: Hashable, Sendable {
        /// Deliver the server's response, and store it with this head.
        case serverAndStore(StoredHead)
        /// Deliver the server's response. It is not worth storing with this head, but the delegate may change
        /// it.
        case serverAndPropose(StoredHead)
        /// Deliver the server's response.
        case server
        /// Deliver the stored body with this head.
        case stored(StoredHead)
    }

    var answer: Answer
    /// The new head of the stored response.
    var update: StoredHead?
    /// The URLs whose stored responses become invalid.
    var removals: [URL] = []

    /// Determines the reaction.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent, without the fields that the cache added.
    ///   - account: The account whose credential the engine has added to the request.
    ///   - stores: Whether the decision allows storing.
    ///   - stored: The stored response; with `isRevalidation` the request has validated it.
    static func to(
        _ response: ResponseHead, for request: URLRequest, account: String? = nil,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy, stores: Bool,
        stored: StoredHead?, isRevalidation: Bool, requestTime: Date, responseTime: Date
    ) -> CacheReaction {
        guard let url = request.url else { return CacheReaction(answer: .server) }
        let removals = CacheInvalidation.urls(for: request, response)
        if !removals.isEmpty { return CacheReaction(answer: .server, removals: removals) }
        let times = (request: requestTime, response: responseTime)
        if let stored, isRevalidation, response.status == 304 {
            return confirmed(stored, by: response, times)
        }
        if let stored, (500...599).contains(response.status),
            mayServeStale(
                stored, for: response.status, request: request, policy: policy, now: responseTime)
        {
            return CacheReaction(answer: .stored(stored))
        }
        if let stored, request.method == "HEAD" { return afterHead(stored, response, url, times) }
        let fresh = StoredHead(
            url: url, status: response.status, headers: response.headers.storable,
            request: request.headers, account: account, requestTime: requestTime,
            responseTime: responseTime)
        if stores, CacheStorability.mayStore(fresh, for: request) {
            return CacheReaction(answer: .serverAndStore(fresh))
        }
        // The stored response is outdated, even if the new one cannot be stored.
        let isSuperseded =
            CacheDecision.isCacheable(request) && request.method == "GET"
            && response.status < 500
        let isProposed = stores && CacheStorability.mayPropose(fresh, for: request)
        return CacheReaction(
            answer: isProposed ? .serverAndPropose(fresh) : .server,
            removals: isSuperseded ? [url] : [])
    }

    /// Handles a 304 (§4.3.4). One with another validator confirms the stored response for now, but its
    /// fields are not used.
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

    /// The response to a HEAD updates what a GET has stored, or shows that it is outdated (§4.3.5).
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

    /// Whether a stored response may be used if the server failed (RFC 5861 §4). Not if the request wants a
    /// confirmed one (RFC 9111 §5.2.1.4).
    ///
    /// - Parameter status: The server's status; nil without a response.
    static func mayServeStale(
        _ stored: StoredHead, for status: Int?, request: URLRequest,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy, now: Date
    ) -> Bool {
        let control = CacheDecision.requestControl(of: request)
        guard status.map({ [500, 502, 503, 504].contains($0) }) ?? true,
            CacheDecision.isCacheable(request), policy != .reloadRevalidatingCacheData,
            !control.has("no-cache")
        else { return false }
        let answer = stored.cacheControl
        guard !answer.has("must-revalidate"), !answer.hasUnqualified("no-cache") else {
            return false
        }
        let allowed = [
            answer.secondsOrAny("stale-if-error"), control.secondsOrAny("stale-if-error"),
        ]
        .compactMap(\.self).max()
        guard let allowed else { return false }
        return stored.age(at: now) - stored.lifetime <= allowed
    }
}
