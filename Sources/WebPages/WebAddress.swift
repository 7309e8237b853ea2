import CurlNetworking
public import FoundationEssentials

/// Addresses in the form that people and pages write.
public enum WebAddress {
    /// Percent-encodes invalid characters; existing escapes stay.
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

    /// Whether it is this computer.
    static func isLoopback(_ url: URL) -> Bool {
        var host = (url.host() ?? "").lowercased()
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        return host.isLoopbackHost
    }

    /// Parses a typed http or https address; https if the scheme is missing.
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
