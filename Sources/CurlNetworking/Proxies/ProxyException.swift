import CurlNetworkingPlatform

/// A pattern for servers that are reached without a proxy.
struct ProxyException: Hashable, Sendable, Codable {
    /// A host (`example.com`), all its subdomains (`*.example.com`, `.example.com`), an address, a network
    /// (`10.0.0.0/8`, `169.254/16`, `fe80::/10`), or `*` for all.
    var pattern: String
    /// Whether a plain host includes its subdomains, as with curl.
    var includesSubdomains: Bool

    init(_ pattern: String, includesSubdomains: Bool) {
        self.pattern = pattern
        self.includesSubdomains = includesSubdomains
    }

    /// Returns whether the pattern matches a host.
    ///
    /// - Parameter host: In lower case, without brackets.
    func covers(_ host: String) -> Bool {
        var name = pattern.trimmingSpaces.lowercased().withoutBrackets
        if name == "*" { return true }
        var host = host
        if host.hasSuffix(".") { host.removeLast() }
        if name.hasSuffix(".") { name.removeLast() }
        guard !name.isEmpty, !host.isEmpty else { return false }
        if let slash = name.firstIndex(of: "/") {
            guard let count = Int(name[name.index(after: slash)...]) else { return false }
            return Self.isIn(host, network: String(name[..<slash]), bitCount: count)
        }
        if let address = Self.address(host) { return address == Self.address(name) }
        var includesSubdomains = includesSubdomains
        if name.hasPrefix("*.") {
            name.removeFirst(2)
            return host.hasSuffix("." + name)
        }
        if name.hasPrefix(".") {
            name.removeFirst()
            includesSubdomains = true
        }
        return host == name || (includesSubdomains && host.hasSuffix("." + name))
    }

    private static func isIn(_ host: String, network: String, bitCount: Int) -> Bool {
        var network = network
        if !network.contains(":") {  // 169.254/16 omits zeros
            let parts = network.split(separator: ".").count
            network += String(repeating: ".0", count: max(0, 4 - parts))
        }
        guard let one = address(host), let other = address(network), one.count == other.count,
            (0...one.count * 8).contains(bitCount)
        else { return false }
        let whole = bitCount / 8
        guard one.prefix(whole) == other.prefix(whole) else { return false }
        let rest = bitCount % 8
        return rest == 0 || one[whole] >> (8 - rest) == other[whole] >> (8 - rest)
    }

    /// Returns the bytes of an IPv4 or IPv6 address; nil for a name.
    private static func address(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
    }
}
