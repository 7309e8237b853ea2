import Synchronization

/// The cookie and cache settings of a session.
struct WebSettings: Sendable {
    var cookies: HTTPCookieStorage?
    var acceptPolicy = HTTPCookieStorage.AcceptPolicy.onlyFromMainDocumentDomain
    var sendsCookies = true
    var cache: URLCache?
    /// nil: the URL's scheme is used unchanged.
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
    /// The cookie storage: the shared one in `.default` configurations, one in memory in ephemeral ones. nil
    /// disables cookies.
    public var httpCookieStorage: HTTPCookieStorage? {
        get { settings.withLock { $0.web.cookies } }
        set { settings.withLock { $0.web.cookies = newValue } }
    }

    /// Which cookies of responses are stored; `.onlyFromMainDocumentDomain` by default. The storage's own
    /// policy applies, too.
    public var httpCookieAcceptPolicy: HTTPCookieStorage.AcceptPolicy {
        get { settings.withLock { $0.web.acceptPolicy } }
        set { settings.withLock { $0.web.acceptPolicy = newValue } }
    }

    /// Whether the storage's cookies are sent; true by default. `httpCookieAcceptPolicy` determines which are
    /// stored. A request's own `Cookie` field is always sent unchanged.
    public var httpShouldSetCookies: Bool {
        get { settings.withLock { $0.web.sendsCookies } }
        set { settings.withLock { $0.web.sendsCookies = newValue } }
    }

    /// The cache: the shared one in `.default` configurations, 4 MiB of memory in ephemeral ones, nil in
    /// background ones. nil disables caching.
    public var urlCache: URLCache? {
        get { settings.withLock { $0.web.cache } }
        set { settings.withLock { $0.web.cache = newValue } }
    }

    /// The storage of hosts that require TLS: the shared one in `.default` configurations, one in memory in
    /// ephemeral ones. nil ignores `Strict-Transport-Security`.
    ///
    /// Not part of Apple's API, where HSTS cannot be configured.
    public var hstsStorage: HSTSStorage? {
        get { settings.withLock { $0.web.hsts } }
        set { settings.withLock { $0.web.hsts = newValue } }
    }

    /// The cache policy of requests that do not set one.
    public var requestCachePolicy: URLRequest.CachePolicy {
        get { settings.withLock { $0.web.cachePolicy } }
        set { settings.withLock { $0.web.cachePolicy = newValue } }
    }

    /// Has no effect; see `URLRequest.httpShouldUsePipelining`.
    public var httpShouldUsePipelining: Bool {
        get { settings.withLock { $0.access.usesPipelining } }
        set { settings.withLock { $0.access.usesPipelining = newValue } }
    }

    /// Has no effect; see `URLRequest.networkServiceType`.
    public var networkServiceType: URLRequest.NetworkServiceType {
        get { settings.withLock { $0.access.serviceType } }
        set { settings.withLock { $0.access.serviceType = newValue } }
    }
}
