import CurlNetworking
import FoundationEssentials
import WebPages

/// Where the list of courses is.
@MainActor struct FeedSource {
    let url: URL
    /// Whether the user has typed the address without `https://`.
    var isSchemeAssumed = false
    /// The site that serves the demonstration.
    var site: LoopbackSite?

    /// A load of the list that has not begun.
    func makeFetch(
        in session: URLSession, policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> WebFetch {
        let fetch = WebFetch(URLRequest(url: url, cachePolicy: policy), in: session)
        fetch.isSchemeAssumed = isSchemeAssumed
        return fetch
    }
}
