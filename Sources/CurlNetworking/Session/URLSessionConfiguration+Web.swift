import Synchronization

/// Cookies and cache of a session.
struct WebSettings: Sendable {
    var cookies: HTTPCookieStorage?
    var acceptPolicy = HTTPCookieStorage.AcceptPolicy.onlyFromMainDocumentDomain
    var sendsCookies = true
    var cache: URLCache?
    /// Nil: hosts are reached as the URL says.
    var hsts: HSTSStorage?
    var cachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy

    init(
        cookies: HTTPCookieStorage? = nil, cache: URLCache? = nil, hsts: HSTSStorage? = nil
    ) {
        self.cookies = cookies
        self.cache = cache
        self.hsts = hsts
    }
}

extension URLSessionConfiguration {
    /// Where cookies are kept: the shared storage in `.default` configurations, one in memory in
    /// ephemeral ones. nil: cookies are neither sent nor taken.
    public var httpCookieStorage: HTTPCookieStorage? {
        get { settings.withLock { $0.web.cookies } }
        set { settings.withLock { $0.web.cookies = newValue } }
    }

    /// Which cookies are taken from answers; the storage's own policy can only narrow it.
    /// `.onlyFromMainDocumentDomain` unless set.
    public var httpCookieAcceptPolicy: HTTPCookieStorage.AcceptPolicy {
        get { settings.withLock { $0.web.acceptPolicy } }
        set { settings.withLock { $0.web.acceptPolicy = newValue } }
    }

    /// Whether the storage's cookies are sent; true unless set. Which are taken is a matter of
    /// `httpCookieAcceptPolicy`. A request's own `Cookie` field always goes as it is.
    public var httpShouldSetCookies: Bool {
        get { settings.withLock { $0.web.sendsCookies } }
        set { settings.withLock { $0.web.sendsCookies = newValue } }
    }

    /// Where answers are kept: the shared cache in `.default` configurations, 4 MiB of memory in
    /// ephemeral ones. nil, as it is in background ones: nothing is.
    public var urlCache: URLCache? {
        get { settings.withLock { $0.web.cache } }
        set { settings.withLock { $0.web.cache = newValue } }
    }

    /// Which hosts are reached over TLS only, whatever the URL says: the shared storage in `.default` configurations, one
    /// in memory in ephemeral ones. nil: none, and nothing that servers say about it is taken.
    ///
    /// Not in Apple's suite, where it cannot be changed.
    public var hstsStorage: HSTSStorage? {
        get { settings.withLock { $0.web.hsts } }
        set { settings.withLock { $0.web.hsts = newValue } }
    }

    /// What requests that do not say so themselves may take from the cache.
    public var requestCachePolicy: URLRequest.CachePolicy {
        get { settings.withLock { $0.web.cachePolicy } }
        set { settings.withLock { $0.web.cachePolicy = newValue } }
    }

    /// Without effect: see `URLRequest.httpShouldUsePipelining`.
    public var httpShouldUsePipelining: Bool {
        get { settings.withLock { $0.access.usesPipelining } }
        set { settings.withLock { $0.access.usesPipelining = newValue } }
    }

    /// Without effect: see `URLRequest.networkServiceType`.
    public var networkServiceType: URLRequest.NetworkServiceType {
        get { settings.withLock { $0.access.serviceType } }
        set { settings.withLock { $0.access.serviceType = newValue } }
    }
}
