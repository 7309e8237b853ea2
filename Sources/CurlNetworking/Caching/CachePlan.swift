import Dispatch
import FoundationEssentials

/// The cache's plan for one request, from before it is sent to its end.
struct CachePlan: Sendable {
    let request: URLRequest
    let decision: CacheDecision
    /// What was stored for the request.
    let entry: CacheEntry?
    /// The account whose credential the engine adds; nil if the request's own `Authorization` counts.
    var account: String?
    var policy = URLRequest.CachePolicy.useProtocolCachePolicy
    /// From before the entry was looked for: what was removed later is not put back by its confirmation.
    var stamp = CacheRemovals.Stamp()
    /// From when the request was sent: what was removed later prevents storing its response, but not what was removed
    /// before.
    var sendingStamp: CacheRemovals.Stamp?

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
            head, for: request, account: account, policy: policy, stores: stores,
            stored: entry?.head, isRevalidation: isRevalidation, requestTime: requestTime,
            responseTime: responseTime)
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
            CacheReaction.mayServeStale(
                entry.head, for: nil, request: request, policy: policy, now: now)
        else { return nil }
        return answer(entry, isConfirmed: false, at: now)
    }

    /// Returns a plan for a modified request or another account, which the stored response may not match.
    func withoutEntry(for request: URLRequest, account: String?) -> CachePlan {
        // Fields of a revalidation are about the entry; others are the policy's.
        var (fields, stores) = (HTTPHeaderFields(), true)
        if case .load(let added, let may) = decision { (fields, stores) = (added, may) }
        return CachePlan(
            request: request.fromAccount(account), decision: .load(fields, stores: stores),
            entry: nil, account: account, policy: policy, stamp: stamp)
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
    func planAtOnce(
        for request: URLRequest, policy: URLRequest.CachePolicy,
        by requester: CacheRequester = CacheRequester()
    ) -> CachePlan? {
        let draft = Draft(
            request: request, policy: policy, requester: requester, stamp: responses.stamp)
        guard draft.mayLook, CacheDecision.isCacheable(request), policy.looksIntoCache,
            let key = CacheKey(request.url)
        else { return plan(draft, entry: nil) }
        guard !hasWritesUnderWay, !isSubclassed else { return nil }
        if let found = responses.inMemory(key, draft.query) {
            return plan(draft, entry: CacheEntry(head: found.head, body: found.response.body))
        }
        return diskCapacity > 0 ? nil : plan(draft, entry: nil)
    }

    /// Makes the plan for a request on the cache's queue, after all pending writes.
    func planLater(
        for request: URLRequest, policy: URLRequest.CachePolicy,
        by requester: CacheRequester = CacheRequester(),
        _ receive: @escaping @Sendable (CachePlan) -> Void
    ) {
        // The stamp is taken now: the entry may be removed as soon as it is found.
        let draft = Draft(
            request: request, policy: policy, requester: requester, stamp: responses.stamp)
        queue.async { @Sendable [self] in
            receive(plan(draft, entry: entry(for: draft)))
        }
    }

    /// What is known of a plan before an entry is looked for.
    private struct Draft: Sendable {
        var request: URLRequest
        var policy: URLRequest.CachePolicy
        var requester: CacheRequester
        var stamp: CacheRemovals.Stamp

        let query: CacheQuery
        /// Whether a stored response may be looked for: one for a credential that the server has not accepted yet is
        /// only validated, which needs the server.
        let mayLook: Bool

        init(
            request: URLRequest, policy: URLRequest.CachePolicy, requester: CacheRequester,
            stamp: CacheRemovals.Stamp
        ) {
            self.request = request
            let mayAsk =
                policy != .returnCacheDataDontLoad
                && !CacheDecision.requestControl(of: request).has("only-if-cached")
            mayLook = requester.isAccepted || mayAsk
            self.policy =
                !requester.isAccepted && mayAsk && policy.looksIntoCache
                ? .reloadRevalidatingCacheData : policy
            self.requester = requester
            self.stamp = stamp
            query = CacheQuery(request: request.headers, requester: requester)
        }
    }

    private func entry(for draft: Draft) -> CacheEntry? {
        guard draft.mayLook else { return nil }
        if isSubclassed { return ownEntry(for: draft.request, draft.query) }
        guard let key = CacheKey(draft.request.url) else { return nil }
        if let found = responses.inMemory(key, draft.query) {
            return CacheEntry(head: found.head, body: found.response.body)
        }
        return responses.onDisk(key, draft.query)
    }

    private func plan(_ draft: Draft, entry: CacheEntry?) -> CachePlan {
        let account = draft.requester.account
        var entry = entry
        var decision = CacheDecision.make(
            for: draft.request, policy: draft.policy, stored: entry?.head, now: clock())
        // An immutable response needs no validation, but its credential does.
        if !draft.requester.isAccepted, decision == .use {
            (entry, decision) = (nil, .load(HTTPHeaderFields(), stores: true))
        }
        return CachePlan(
            request: draft.request.fromAccount(account), decision: decision, entry: entry,
            account: account, policy: draft.policy, stamp: draft.stamp)
    }

    /// Applies a reaction to the stored entries. Returns at once.
    ///
    /// - Parameter plan: nil if nothing was looked for.
    /// - Returns: The plan to go on with: the reaction's own removals do not prevent storing its response.
    @discardableResult
    func apply(_ reaction: CacheReaction, of plan: CachePlan?) -> CachePlan? {
        let removed = reaction.removals.compactMap(CacheKey.init)
        // At once, so that a response that completes now is not stored.
        let renewed = responses.noteRemovals(of: removed, by: plan)
        if isSubclassed {
            if !removed.isEmpty || reaction.update != nil {
                write { [self] in applyAsOwn(reaction, of: renewed) }
            }
            return renewed
        }
        if !removed.isEmpty {
            write { [self] in
                for key in removed { responses.removeAll(for: key) }
            }
        }
        guard let head = reaction.update, let entry = renewed?.entry, let stamp = renewed?.stamp,
            let key = CacheKey(head.url)
        else { return renewed }
        writeLater(key, ifCurrent: stamp) { [self] isWanted in
            guard isWanted, !responses.hasNewer(than: head, for: key, now: clock()) else { return }
            let response = CachedURLResponse(
                response: CacheEntry(head: head, body: entry.body).plainResponse, body: entry.body,
                userInfo: head.userInfo?.userInfo, head: head)
            responses.store(response, head: head, key: key)
        }
        return renewed
    }
}

extension URLRequest {
    /// The request without its own `Authorization`, if the engine sends an account's credential instead.
    fileprivate func fromAccount(_ account: String?) -> URLRequest {
        guard account != nil, headers["Authorization"] != nil else { return self }
        var request = self
        request.headers["Authorization"] = nil
        return request
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
