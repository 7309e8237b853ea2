extension URLRequest {
    /// How a request uses the cache. The raw values are Apple's.
    public enum CachePolicy: UInt, Sendable {
        /// The rules of HTTP (RFC 9111): fresh responses, and those that the server confirms.
        case useProtocolCachePolicy = 0
        /// Load from the server. The response is stored.
        case reloadIgnoringLocalCacheData = 1
        /// Use a stored response, however old; otherwise load from the server.
        case returnCacheDataElseLoad = 2
        /// Use a stored response; otherwise fail with `.resourceUnavailable`.
        case returnCacheDataDontLoad = 3
        /// Load from the server, bypassing intermediate caches.
        case reloadIgnoringLocalAndRemoteCacheData = 4
        /// Use a stored response only if the server confirms it now.
        case reloadRevalidatingCacheData = 5

        /// An older name of ``reloadIgnoringLocalCacheData``.
        public static var reloadIgnoringCacheData: CachePolicy { .reloadIgnoringLocalCacheData }
    }
}
