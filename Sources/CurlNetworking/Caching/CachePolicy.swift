extension URLRequest {
    /// What a request may take from the cache. The numbers are Apple's.
    public enum CachePolicy: UInt, Sendable {
        /// By the rules of HTTP: what is fresh, and what the server confirms (RFC 9111).
        case useProtocolCachePolicy = 0
        /// Nothing. What comes is stored.
        case reloadIgnoringLocalCacheData = 1
        /// Whatever is there, however old; else from the server.
        case returnCacheDataElseLoad = 2
        /// Whatever is there; else the task fails with `.resourceUnavailable`.
        case returnCacheDataDontLoad = 3
        /// Nothing, not from caches on the way either.
        case reloadIgnoringLocalAndRemoteCacheData = 4
        /// What the server confirms now.
        case reloadRevalidatingCacheData = 5

        /// The old name of ``reloadIgnoringLocalCacheData``.
        public static var reloadIgnoringCacheData: CachePolicy { .reloadIgnoringLocalCacheData }
    }
}
