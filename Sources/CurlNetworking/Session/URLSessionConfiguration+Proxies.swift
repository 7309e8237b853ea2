import FoundationEssentials
import Synchronization

extension URLSessionConfiguration {
    /// The proxies to load through, with Apple's keys (`kCFNetworkProxiesHTTPProxy`…).
    ///
    /// ```swift
    /// configuration.connectionProxyDictionary = [
    ///     kCFNetworkProxiesHTTPEnable: true, kCFNetworkProxiesHTTPProxy: "proxy.example.com",
    ///     kCFNetworkProxiesHTTPPort: 3128,
    /// ]
    /// ```
    ///
    /// `HTTP…` is for http URLs and `HTTPS…` for https URLs, both an HTTP proxy (https goes through a
    /// tunnel that it only passes on); `SOCKS…` is for what has none of its own. A named proxy counts
    /// as enabled unless `…Enable` says otherwise. `ExceptionsList` has hosts, `*.domain`, addresses
    /// and networks such as `10.0.0.0/8`. Automatic configuration (PAC) is not read.
    ///
    /// nil, as it is at first: as with curl, the environment's `http_proxy`, `https_proxy`,
    /// `all_proxy` and `no_proxy`, except that what stays on this machine goes through none. An empty
    /// dictionary: no proxy at all. A unix socket never has one.
    ///
    /// A proxy's challenge comes to the task's delegate as a server's does, with a protection space
    /// that ``URLProtectionSpace/isProxy()``. `kCFProxyUsernameKey` and `kCFProxyPasswordKey`, or a name and password in the
    /// environment's URL, answer it by themselves.
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
