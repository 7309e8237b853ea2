internal import ClubAccess
internal import FoundationEssentials

/// A club's address as typed or pasted.
enum TypedAddress {
    /// The field's initial text.
    static let start = "https://"

    /// - Returns: Nil for an invalid address.
    static func url(_ text: String) -> URL? {
        var address = text.trimmingPrefix(while: \.isWhitespace)[...]
        while address.last?.isWhitespace == true { address.removeLast() }
        // A pasted address includes its own scheme.
        if address.hasPrefix(start) {
            let rest = address.dropFirst(start.count)
            if rest.lowercased().hasPrefix("https://") || rest.lowercased().hasPrefix("http://") {
                address = rest
            }
        }
        guard !address.isEmpty else { return nil }
        return ClubSettings.address(address.contains("://") ? String(address) : start + address)
    }
}
