import FoundationEssentials

/// Scheme, host and port of a URL (RFC 6454).
struct Origin: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: Int

    /// Returns nil if the URL cannot be loaded over HTTP.
    init?(of url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = url.port ?? (scheme == "https" ? 443 : 80)
    }
}

extension String {
    /// The host without the brackets of an IPv6 address.
    var withoutBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }

    /// Whether a host, in lower case and without brackets, is this machine by name or address (RFC 6761 §6.3,
    /// RFC 1122 §3.2.1.3). A name that starts with digits is not an address.
    package var isLoopbackHost: Bool {
        if self == "localhost" || hasSuffix(".localhost") || self == "::1" { return true }
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                    && UInt8(part) != nil
            }
    }
}
