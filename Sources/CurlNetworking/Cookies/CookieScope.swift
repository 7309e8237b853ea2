import FoundationEssentials

/// Compares hosts, domains and paths as RFC 6265 §5.1 requires.
enum CookieScope {
    /// Returns the canonical spelling of a host: lower case, other letters as punycode, an IPv6 address
    /// without brackets (§5.1.2).
    ///
    /// Letters are not normalized; a host with another spelling has separate cookies, which is harmless.
    static func canonicalHost(_ host: String) -> String? {
        var host = host
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty else { return nil }
        if host.utf8.allSatisfy({ $0 < 0x80 }) { return host.lowercased() }
        var labels: [String] = []
        for label in host.lowercased().split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "." || $0 == "。" })
        {
            if label.utf8.allSatisfy({ $0 < 0x80 }) {
                labels.append(String(label))
            } else {
                guard let encoded = Punycode.encode(label) else { return nil }
                labels.append("xn--" + encoded)
            }
        }
        return labels.joined(separator: ".")
    }

    static func canonicalHost(of url: URL) -> String? {
        url.host(percentEncoded: false).flatMap(canonicalHost)
    }

    /// Whether a host is the domain or a subdomain (§5.1.3). Both must be canonical. An address is not a
    /// subdomain.
    static func host(_ host: String, matches domain: String) -> Bool {
        if host == domain { return true }
        guard host.utf8.count > domain.utf8.count, host.hasSuffix(domain), !domain.isEmpty else {
            return false
        }
        let before = host.utf8.index(host.utf8.endIndex, offsetBy: -(domain.utf8.count + 1))
        return host.utf8[before] == UInt8(ascii: ".") && !isAddress(host)
    }

    /// Whether a host is an IPv4 or IPv6 address.
    static func isAddress(_ host: String) -> Bool {
        if host.utf8.contains(UInt8(ascii: ":")) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                part.utf8.allSatisfy(\.isASCIIDigit) && (UInt8(part) != nil)
            }
    }

    /// The default path of a cookie: the folder of the request's path (§5.1.4).
    static func defaultPath(of url: URL) -> String {
        let path = requestPath(of: url)
        guard path.utf8.first == UInt8(ascii: "/"),
            let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }

    /// The path as it is sent, with percent encoding.
    static func requestPath(of url: URL) -> String {
        let path = url.path(percentEncoded: true)
        return path.isEmpty ? "/" : path
    }

    /// Whether a request's path is the cookie's or below it (§5.1.4).
    static func path(_ path: String, matches cookiePath: String) -> Bool {
        let path = path.utf8
        let cookiePath = cookiePath.utf8
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path.dropFirst(cookiePath.count).first == UInt8(ascii: "/")
    }

    /// Whether the connection to a URL is secure.
    static func isSecure(_ url: URL) -> Bool {
        guard let scheme = url.scheme?.lowercased() else { return false }
        return scheme == "https" || scheme == "wss"
    }
}
