internal import FoundationEssentials

/// The address of a club's folder, as it was typed or pasted.
enum TypedAddress {
    /// What the field begins with.
    static let start = "https://"

    /// - Returns: Nil for what is not an address.
    static func url(_ text: String) -> URL? {
        var address = text.trimmingPrefix(while: \.isWhitespace)[...]
        while address.last?.isWhitespace == true { address.removeLast() }
        // A pasted address brings its own beginning.
        if address.hasPrefix(start) {
            let rest = address.dropFirst(start.count)
            if rest.lowercased().hasPrefix("https://") || rest.lowercased().hasPrefix("http://") {
                address = rest
            }
        }
        guard !address.isEmpty else { return nil }
        return URL(string: address.contains("://") ? String(address) : start + address)
    }
}
