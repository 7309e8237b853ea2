/// A parsed `Content-Range` field (RFC 9110 §14.4).
struct ContentRange: Hashable, Sendable {
    /// Half-open, in bytes from the start; nil in a 416.
    var range: Range<Int64>?
    /// nil for `*`.
    var total: Int64?

    /// Returns nil for other units and invalid values.
    init?(_ field: String) {
        let words = field.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].isEqualIgnoringASCIICase(to: "bytes") else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] != "*" {
            guard let number = Self.number(halves[1]) else { return nil }
            total = number
        }
        if halves[0] == "*" {
            guard total != nil else { return nil }
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < .max, total.map({ last < $0 }) ?? true
        else { return nil }
        range = first..<last + 1
    }

    /// Whether the range extends to the end, as far as it is known.
    var isToTheEnd: Bool {
        guard let range, let total else { return true }
        return range.upperBound == total
    }

    /// Parses digits only: `Int64.init` would accept a sign.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
