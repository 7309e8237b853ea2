import Dispatch
import FoundationEssentials

/// The cache's plan for one request, from before it is sent to its end.
struct CachePlan: Sendable {
    let request: URLRequest
    let decision: CacheDecision
    /// What was stored for the request.
    let entry: CacheEntry?

    /// A response from the cache.
    struct Answer: Sendable {
        var response: HTTPURLResponse
        var body: CacheBody
    }

    /// The fields to send in addition to the request's own.
    var addedFields: HTTPHeaderFields {
        switch decision {
        case .revalidate(let fields), .load(let fields, stores: _): fields
        case .use, .fail, .gatewayTimeout: HTTPHeaderFields()
        }
    }

    /// The response, if no request to the server is needed.
    func answer(at now: Date) -> Answer? {
        switch decision {
        case .use: entry.map { answer($0, isConfirmed: false, at: now) }
        case .gatewayTimeout: gatewayTimeout
        case .fail, .revalidate, .load: nil
        }
    }

    /// Determines what a response of the server means.
    ///
    /// - Parameter requestTime: When the request was sent.
    func react(
        to head: ResponseHead, requestTime: Date, responseTime: Date
    ) -> CacheReaction {
        var stores = true
        var isRevalidation = false
        switch decision {
        case .revalidate: isRevalidation = true
        case .load(_, let may): stores = may
        case .use, .fail, .gatewayTimeout: break
        }
        return CacheReaction.to(
            head, for: request, stores: stores, stored: entry?.head, isRevalidation: isRevalidation,
            requestTime: requestTime, responseTime: responseTime)
    }

    /// Returns the stored response with the head of a reaction; `isConfirmed` after a 304.
    func answer(under head: StoredHead, isConfirmed: Bool, at now: Date) -> Answer? {
        entry.map {
            answer(CacheEntry(head: head, body: $0.body), isConfirmed: isConfirmed, at: now)
        }
    }

    /// The response to use if the server cannot be reached.
    func fallbackResponse(at now: Date) -> Answer? {
        guard let entry, isFromServer,
            CacheReaction.mayServeStale(entry.head, for: nil, request: request, now: now)
        else { return nil }
        return answer(entry, isConfirmed: false, at: now)
    }

    /// Returns a plan for a modified request, which the stored response may not match.
    func withoutEntry(for request: URLRequest) -> CachePlan {
        // Fields of a revalidation are about the entry; others are the policy's.
        var (fields, stores) = (HTTPHeaderFields(), true)
        if case .load(let added, let may) = decision { (fields, stores) = (added, may) }
        return CachePlan(
            request: request, decision: .load(fields, stores: stores), entry: nil)
    }

    private var isFromServer: Bool {
        switch decision {
        case .revalidate, .load: true
        case .use, .fail, .gatewayTimeout: false
        }
    }

    private func answer(_ entry: CacheEntry, isConfirmed: Bool, at now: Date) -> Answer {
        let head = ResponseHead(
            status: entry.head.status,
            headers: entry.head.fieldsForReuse(isConfirmed: isConfirmed, at: now))
        return Answer(
            response: HTTPURLResponse(url: request.url ?? entry.head.url, head: head),
            body: request.method == "HEAD" ? .data(Data()) : entry.body)
    }

    private var gatewayTimeout: Answer? {
        request.url.map { url in
            var headers = HTTPHeaderFields()
            headers["Content-Length"] = "0"
            return Answer(
                response: HTTPURLResponse(
                    url: url, head: ResponseHead(status: 504, headers: headers)),
                body: .data(Data()))
        }
    }
}

extension URLCache {
    /// Makes the plan for a request; returns nil if the disk has to be read for that.
    func planAtOnce(for request: URLRequest, policy: URLRequest.CachePolicy) -> CachePlan? {
        guard CacheDecision.isCacheable(request), policy.looksIntoCache,
            let key = CacheKey(request.url)
        else { return plan(for: request, policy: policy, entry: nil) }
        guard !hasWritesUnderWay, !isSubclassed else { return nil }
        if let found = inMemory(key, request) {
            let entry = CacheEntry(head: found.head, body: found.response.body)
            return plan(for: request, policy: policy, entry: entry)
        }
        return diskCapacity > 0 ? nil : plan(for: request, policy: policy, entry: nil)
    }

    /// Makes the plan for a request on the cache's queue, after all pending writes.
    func planLater(
        for request: URLRequest, policy: URLRequest.CachePolicy,
        _ receive: @escaping @Sendable (CachePlan) -> Void
    ) {
        queue.async { @Sendable [self] in
            let entry =
                isSubclassed
                ? ownEntry(for: request)
                : CacheKey(request.url).flatMap { key in
                    inMemory(key, request).map {
                        CacheEntry(head: $0.head, body: $0.response.body)
                    } ?? onDisk(key, request)
                }
            receive(plan(for: request, policy: policy, entry: entry))
        }
    }

    private func plan(
        for request: URLRequest, policy: URLRequest.CachePolicy, entry: CacheEntry?
    ) -> CachePlan {
        CachePlan(
            request: request,
            decision: CacheDecision.make(
                for: request, policy: policy, stored: entry?.head, now: clock()),
            entry: entry)
    }

    /// Applies a reaction to the stored entries. Returns at once.
    ///
    /// - Parameter plan: nil if nothing was looked for.
    func apply(_ reaction: CacheReaction, of plan: CachePlan?) {
        let removals = reaction.removals.compactMap(CacheKey.init)
        guard !removals.isEmpty || reaction.update != nil else { return }
        write { [self] in
            guard !isSubclassed else { return applyAsOwn(reaction, of: plan) }
            for key in removals { removeAll(for: key) }
        }
        guard !isSubclassed, let head = reaction.update, let entry = plan?.entry,
            let key = CacheKey(head.url)
        else { return }
        writeLater(key) { [self] isWanted in
            guard isWanted else { return }
            let response = CachedURLResponse(
                response: CacheEntry(head: head, body: entry.body).plainResponse, body: entry.body,
                userInfo: head.userInfo?.userInfo)
            store(response, head: head, key: key)
        }
    }
}

extension URLRequest.CachePolicy {
    fileprivate var looksIntoCache: Bool {
        switch self {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: false
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad,
            .reloadRevalidatingCacheData:
            true
        }
    }
}
