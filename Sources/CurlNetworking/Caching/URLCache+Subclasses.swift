import FoundationEssentials

// How sessions use a subclass of the cache: by its public methods only.

extension URLCache {
    /// Whether the cache is a subclass.
    var isSubclassed: Bool { type(of: self) != URLCache.self }

    /// Returns a subclass's response for a request. Called on the cache's queue.
    ///
    /// The public methods do not say who asks, so one that is for another account is not used.
    func ownEntry(for request: URLRequest, _ query: CacheQuery) -> CacheEntry? {
        guard let url = request.url, let found = cachedResponse(for: request),
            found.head.map(query.matches) ?? (query.requester?.account == nil)
        else { return nil }
        return CacheEntry(head: head(of: found, for: request, url), body: found.body)
    }

    /// Applies a reaction to a subclass.
    func applyAsOwn(_ reaction: CacheReaction, of plan: CachePlan?) {
        asSession {
            for url in reaction.removals { removeCachedResponse(for: URLRequest(url: url)) }
        }
        guard let head = reaction.update, let plan, let entry = plan.entry,
            let key = CacheKey(head.url), responses.isCurrent(plan.stamp, for: key)
        else { return }
        let updated = CacheEntry(head: head, body: entry.body)
        asSession {
            storeCachedResponse(
                CachedURLResponse(response: updated.plainResponse, body: entry.body, head: head),
                for: plan.request)
        }
    }
}
