import CurlNetworking
public import FoundationEssentials

/// Addresses as people and pages write them.
public enum WebAddress {
    /// Percent signs in place of what may not stand in an address; those that are there stay.
    public static func escaped(_ address: String) -> String {
        var result = ""
        for byte in address.utf8 {
            if byte > 0x20, byte < 0x7F, !"\"<>\\^`{|}".utf8.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += byte < 16 ? "%0" + digits : "%" + digits
            }
        }
        return result
    }

    /// Whether it is this computer's own.
    static func isLoopback(_ url: URL) -> Bool {
        var host = (url.host() ?? "").lowercased()
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return host.isLoopbackHost
    }

    /// The http or https address that somebody has typed; https where the scheme is missing.
    ///
    /// - Parameter query: Arguments to add, each as `name=value`, not escaped.
    /// - Returns: nil for anything else.
    public static func typed(_ text: String, query: [String] = []) -> URL? {
        var address = escaped(text)
        if !address.contains("://") { address = "https://" + address }
        guard var parts = URLComponents(string: address),
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false
        else { return nil }
        let items = query.map { item in
            let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return URLQueryItem(name: String(halves[0]), value: String(halves.last ?? ""))
        }
        if !items.isEmpty { parts.queryItems = (parts.queryItems ?? []) + items }
        return parts.url
    }
}
