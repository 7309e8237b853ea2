// The keys of `connectionProxyDictionary`, as Apple has them.

/// Whether `kCFNetworkProxiesHTTPProxy` is used: 1 or 0.
public let kCFNetworkProxiesHTTPEnable = "HTTPEnable"
/// The host of the proxy for http.
public let kCFNetworkProxiesHTTPProxy = "HTTPProxy"
/// The port of the proxy for http.
public let kCFNetworkProxiesHTTPPort = "HTTPPort"
/// Whether `kCFNetworkProxiesHTTPSProxy` is used: 1 or 0.
public let kCFNetworkProxiesHTTPSEnable = "HTTPSEnable"
/// The host of the proxy for https.
public let kCFNetworkProxiesHTTPSProxy = "HTTPSProxy"
/// The port of the proxy for https.
public let kCFNetworkProxiesHTTPSPort = "HTTPSPort"
/// Whether `kCFNetworkProxiesSOCKSProxy` is used: 1 or 0.
public let kCFNetworkProxiesSOCKSEnable = "SOCKSEnable"
/// The host of the SOCKS proxy.
public let kCFNetworkProxiesSOCKSProxy = "SOCKSProxy"
/// The port of the SOCKS proxy.
public let kCFNetworkProxiesSOCKSPort = "SOCKSPort"
/// Hosts that are spoken to without a proxy.
public let kCFNetworkProxiesExceptionsList = "ExceptionsList"
/// Whether names without a dot are spoken to without a proxy: 1 or 0.
public let kCFNetworkProxiesExcludeSimpleHostnames = "ExcludeSimpleHostnames"
/// The name to log in to the proxy with.
public let kCFProxyUsernameKey = "kCFProxyUsernameKey"
/// The password to log in to the proxy with.
public let kCFProxyPasswordKey = "kCFProxyPasswordKey"
