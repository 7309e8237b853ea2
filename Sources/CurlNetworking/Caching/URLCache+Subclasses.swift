import FoundationEssentials

// How sessions use a cache that is somebody's own class: by its public methods alone.

extension URLCache {
    /// Whether somebody's own class has to be asked.
    var isSubclassed: Bool { type(of: self) != URLCache.self }

    /// What an own class has for a request. On the cache's queue.
    func ownEntry(for request: URLRequest) -> CacheEntry? {
        guard let url = request.url, let found = cachedResponse(for: request) else { return nil }
        return CacheEntry(head: head(of: found, for: request, url), body: found.body)
    }

    /// Has an own class do what a reaction asks for.
    func applyAsOwn(_ reaction: CacheReaction, of plan: CachePlan) {
        for url in reaction.removals { removeCachedResponse(for: URLRequest(url: url)) }
        guard let head = reaction.update, let entry = plan.entry else { return }
        let updated = CacheEntry(head: head, body: entry.body)
        storeCachedResponse(
            CachedURLResponse(response: updated.plainResponse, body: entry.body, head: head),
            for: plan.request)
    }
}
