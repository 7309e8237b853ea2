import FoundationEssentials
import CurlNetworkingPlatform

/// The proxies to use for servers.
struct ProxySettings: Hashable, Sendable, Codable {
    var http: ProxyServer?
    var https: ProxyServer?
    var socks: ProxyServer?
    var exceptions: [ProxyException] = []
    /// Whether names without a dot use no proxy.
    var exceptsSimpleNames = false
    /// Whether hosts of this machine use no proxy.
    var exceptsLoopback = false

    /// Returns the proxy for a URL; nil for none.
    func proxy(for url: URL) -> ProxyServer? {
        guard let scheme = url.scheme?.lowercased(),
            let host = url.host(percentEncoded: false)?.lowercased().withoutBrackets
        else { return nil }
        guard let proxy = (scheme == "https" ? https : http) ?? socks, !isException(host) else {
            return nil
        }
        return proxy
    }

    private func isException(_ host: String) -> Bool {
        if exceptsLoopback, host.isLoopbackHost { return true }
        if exceptsSimpleNames, !host.contains("."), !host.contains(":") { return true }
        return exceptions.contains { $0.covers(host) }
    }
}

// MARK: - The environment

extension ProxySettings {
    /// Reads curl's environment variables: `http_proxy` (in lower case only, because CGI passes a client's
    /// `Proxy:` field as `HTTP_PROXY`), `https_proxy`, `all_proxy` and `no_proxy`, in lower or upper case.
    /// Hosts of this machine use no proxy.
    ///
    /// - Parameter value: Returns the value of a variable; nil if it is not set.
    init(environment value: (String) -> String?) {
        func first(_ names: [String]) -> String? {
            names.compactMap(value).first { !$0.isEmpty }
        }
        let all = first(["all_proxy", "ALL_PROXY"])
        http = (first(["http_proxy"]) ?? all).flatMap { ProxyServer($0) }
        https = (first(["https_proxy", "HTTPS_PROXY"]) ?? all).flatMap { ProxyServer($0) }
        exceptsLoopback = true
        exceptions = (first(["no_proxy", "NO_PROXY"]) ?? "")
            .split { $0 == "," || $0 == " " }
            .map { ProxyException(String($0), includesSubdomains: true) }
    }

    /// nil if the environment sets no proxy.
    static var environment: ProxySettings? {
        // Evaluated for each request, so the usual case must be fast.
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        guard names.contains(where: { getenv($0) != nil }) else { return nil }
        return ProxySettings { name in getenv(name).map { String(cString: $0) } }
    }
}

// MARK: - Apple's dictionary

extension ProxySettings {
    /// Parses the dictionary of `URLSessionConfiguration.connectionProxyDictionary`.
    init(dictionary: [AnyHashable: Any]) {
        let values = Dictionary(
            dictionary.map { (String(describing: $0.key.base), $0.value) },
            uniquingKeysWith: { _, last in last })
        let text = { (key: String) in
            values[key].map { String(describing: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let isOn = { (key: String, other: Bool) in
            text(key).map { ["1", "true", "yes"].contains($0.lowercased()) } ?? other
        }
        let server = { (prefix: String, kind: ProxyServer.Kind, usualPort: Int) -> ProxyServer? in
            guard let host = text(prefix + "Proxy"), isOn(prefix + "Enable", true) else {
                return nil
            }
            let port = text(prefix + "Port").flatMap { Int($0) } ?? usualPort
            guard (1...65535).contains(port) else { return nil }
            let isSocks = kind == .socks5
            return ProxyServer(
                kind, host: host.withoutBrackets, port: port,
                user: text(isSocks ? "kCFStreamPropertySOCKSUser" : kCFProxyUsernameKey)
                    ?? text(kCFProxyUsernameKey),
                password: text(isSocks ? "kCFStreamPropertySOCKSPassword" : kCFProxyPasswordKey)
                    ?? text(kCFProxyPasswordKey))
        }
        http = server("HTTP", .http, 80)
        https = server("HTTPS", .http, 443)
        let isOld = text("kCFStreamPropertySOCKSVersion") == "kCFStreamSocketSOCKSVersion4"
        socks = server("SOCKS", .socks5, 1080)
        if isOld { socks?.kind = .socks4 }
        exceptsSimpleNames = isOn(kCFNetworkProxiesExcludeSimpleHostnames, false)
        let names = (values[kCFNetworkProxiesExceptionsList] as? [Any]) ?? []
        exceptions = names.map {
            ProxyException(String(describing: $0), includesSubdomains: false)
        }
    }

    /// The settings as a dictionary with Apple's keys.
    var dictionary: [AnyHashable: Any] {
        var values: [AnyHashable: Any] = [:]
        for (prefix, server) in [("HTTP", http), ("HTTPS", https), ("SOCKS", socks)] {
            guard let server else { continue }
            values[prefix + "Enable"] = true
            values[prefix + "Proxy"] = server.host
            values[prefix + "Port"] = server.port
            guard let user = server.user else { continue }
            values[server.isHTTP ? kCFProxyUsernameKey : "kCFStreamPropertySOCKSUser"] = user
            values[server.isHTTP ? kCFProxyPasswordKey : "kCFStreamPropertySOCKSPassword"] =
                server.password
        }
        if socks?.kind == .socks4 {
            values["kCFStreamPropertySOCKSVersion"] = "kCFStreamSocketSOCKSVersion4"
        }
        if !exceptions.isEmpty {
            values[kCFNetworkProxiesExceptionsList] = exceptions.map(\.pattern)
        }
        if exceptsSimpleNames { values[kCFNetworkProxiesExcludeSimpleHostnames] = true }
        return values
    }
}
