/// Finds a piece of text in another.
public struct TextSearch: Sendable, Hashable {
    /// How letters are compared.
    public enum CaseRule: Sendable, Hashable {
        case exact
        /// Without regard to case, as ASCII has it.
        case ignored
        /// Exact when the sought text has a capital letter.
        case smart
    }

    private let needle: [UInt8]
    private let folds: Bool

    /// - Returns: Nil when there is nothing to look for.
    public init?(_ sought: some StringProtocol, case rule: CaseRule = .smart) {
        guard !sought.isEmpty else { return nil }
        let hasCapital = sought.utf8.contains { (0x41...0x5A).contains($0) }
        folds = rule == .ignored || (rule == .smart && !hasCapital)
        needle = folds ? sought.utf8.map(Self.folded) : Array(sought.utf8)
    }

    /// The first match that begins at or after `offset`.
    ///
    /// - Complexity: O(bytes searched), in windows: the text is never copied whole.
    public func firstMatch(in text: TextBuffer, from offset: Int) -> Range<Int>? {
        var base = offset
        while base + needle.count <= text.count {
            let end = min(text.count, base + Self.windowCount + needle.count - 1)
            let found = text.withBytes(in: base..<end) { match(in: $0) }
            if let found { return base + found..<base + found + needle.count }
            base = end - needle.count + 1
        }
        return nil
    }

    /// The last match that ends at or before `offset`.
    public func lastMatch(in text: TextBuffer, before offset: Int) -> Range<Int>? {
        var end = offset
        while end >= needle.count {
            let base = max(0, end - Self.windowCount - needle.count + 1)
            var last: Int?
            text.withBytes(in: base..<end) { bytes in
                var start = 0
                while let found = match(in: UnsafeBufferPointer(rebasing: bytes[start...])) {
                    last = start + found
                    start += found + 1
                }
            }
            if let last { return base + last..<base + last + needle.count }
            if base == 0 { return nil }
            end = base + needle.count - 1
        }
        return nil
    }

    /// All matches that do not overlap, from the beginning on.
    public func matches(in text: TextBuffer) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var offset = 0
        while let match = firstMatch(in: text, from: offset) {
            result.append(match)
            offset = match.upperBound
        }
        return result
    }

    private static let windowCount = 65_536

    private func match(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        needle.withUnsafeBufferPointer { needle in
            var start = 0
            let last = bytes.count - needle.count
            while start <= last {
                var length = 0
                while length < needle.count, at(bytes[start &+ length]) == needle[length] {
                    length &+= 1
                }
                if length == needle.count { return start }
                start &+= 1
            }
            return nil
        }
    }

    @inline(__always)
    private func at(_ byte: UInt8) -> UInt8 { folds ? Self.folded(byte) : byte }

    @inline(__always)
    private static func folded(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
