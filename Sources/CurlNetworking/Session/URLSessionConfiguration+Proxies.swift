import FoundationEssentials
import Synchronization

extension URLSessionConfiguration {
    /// The proxies to use, with Apple's keys (`kCFNetworkProxiesHTTPProxy`…).
    ///
    /// ```swift
    /// configuration.connectionProxyDictionary = [
    ///     kCFNetworkProxiesHTTPEnable: true, kCFNetworkProxiesHTTPProxy: "proxy.example.com",
    ///     kCFNetworkProxiesHTTPPort: 3128,
    /// ]
    /// ```
    ///
    /// The `HTTP…` keys apply to http URLs and the `HTTPS…` keys to https URLs. Both name an HTTP proxy;
    /// https uses a tunnel through it. The `SOCKS…` keys apply to URLs without either. A named proxy is
    /// enabled unless its `…Enable` key is false. `ExceptionsList` contains hosts, `*.domain` patterns,
    /// addresses, and networks such as `10.0.0.0/8`. Automatic configuration (PAC) is not supported.
    ///
    /// nil, the default, uses the environment's `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` as
    /// curl does, except that connections to this machine use no proxy. An empty dictionary disables proxies.
    /// Unix sockets never use one.
    ///
    /// A proxy's challenge is passed to the task's delegate like a server's, with a protection space whose
    /// ``URLProtectionSpace/isProxy()`` is true. `kCFProxyUsernameKey` and `kCFProxyPasswordKey`, or the user
    /// name and password in the environment's URL, are used automatically.
    public var connectionProxyDictionary: [AnyHashable: Any]? {
        get { settings.withLock { $0.proxies?.dictionary } }
        set {
            let proxies = newValue.map { ProxySettings(dictionary: $0) }
            settings.withLock { $0.proxies = proxies }
        }
    }
}

extension SessionSettings {
    func proxy(for url: URL) -> ProxyServer? {
        guard unixSocketPath == nil else { return nil }
        return (proxies ?? .environment)?.proxy(for: url)
    }
}
