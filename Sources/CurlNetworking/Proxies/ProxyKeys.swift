// Apple's keys of `connectionProxyDictionary`.

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
/// Hosts that are reached without a proxy.
public let kCFNetworkProxiesExceptionsList = "ExceptionsList"
/// Whether names without a dot are reached without a proxy: 1 or 0.
public let kCFNetworkProxiesExcludeSimpleHostnames = "ExcludeSimpleHostnames"
/// The user name for the proxy.
public let kCFProxyUsernameKey = "kCFProxyUsernameKey"
/// The password for the proxy.
public let kCFProxyPasswordKey = "kCFProxyPasswordKey"
