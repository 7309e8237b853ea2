import CurlNetworking
public import FoundationEssentials

/// Addresses in the form that people and pages write.
public enum WebAddress {
    /// An address without white space around it, with its invalid characters percent-encoded, and with the ASCII spelling
    /// of its host. Existing escapes stay.
    ///
    /// - Parameter text: Absolute or relative.
    /// - Returns: nil if its host is not valid.
    public static func valid(_ text: String) -> String? {
        LenientAddress.valid(trimmed(text))
    }

    private static func trimmed(_ text: String) -> String {
        var rest = text[...].drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    /// Whether it is this computer.
    static func isLoopback(_ url: URL) -> Bool {
        var host = (url.host() ?? "").lowercased()
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return host.isLoopbackHost
    }

    /// Whether ``typed(_:query:)`` assumes https for an address.
    public static func lacksScheme(_ text: String) -> Bool { !text.contains("://") }

    /// Parses a typed http or https address; https if the scheme is missing.
    ///
    /// - Parameter query: Arguments to add, each as `name=value`, not escaped.
    /// - Returns: nil for anything else, and for a port above 65535, or 0.
    public static func typed(_ text: String, query: [String] = []) -> URL? {
        let text = trimmed(text)
        guard let address = valid(lacksScheme(text) ? "https://" + text : text),
            var parts = URLComponents(string: address),
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false,
            // Digits that are too many for a number are a port, too.
            parts.rangeOfPort == nil || parts.port.map((1...65_535).contains) == true
        else { return nil }
        let items = query.map { item in
            let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return URLQueryItem(name: String(halves[0]), value: String(halves.last ?? ""))
        }
        guard !items.isEmpty else { return parts.url }
        // Servers read a plus sign as a space.
        var added = URLComponents()
        added.queryItems = items
        let more = (added.percentEncodedQuery ?? "").replacing("+", with: "%2B")
        parts.percentEncodedQuery = [parts.percentEncodedQuery, more].compactMap(\.self)
            .filter { !$0.isEmpty }.joined(separator: "&")
        return parts.url
    }
}
