internal import ClubLibrary

/// Orders names naturally: ignores case and accents, compares numbers by value, so that `day 2` precedes `Day 10`, and
/// compares the stem before the extension, so that `plan.txt` precedes `plan 2.txt`.
///
/// Ties are broken by the exact name, so that the order is total and stable. The key is a byte string that
/// compares like the names: creating it takes one pass, comparing mostly one word.
package struct NaturalOrderKey: Comparable, Sendable {
    /// The first eight bytes, the first one highest.
    private let prefix: UInt64
    /// Stem, 0, extension, 0, name. Digits follow a 1 and their count, without leading zeros: longer means
    /// larger, so numbers of any length compare.
    private let bytes: [UInt8]

    package init(_ name: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * name.utf8.count + 8)
        Self.append(name, to: &bytes)
        prefix = Self.prefix(of: bytes[...])
        self.bytes = bytes
    }

    /// Appends the key of a name: the keys of many names share one array.
    package static func append(_ name: String, to bytes: inout [UInt8]) {
        var name = name
        name.withUTF8 { text in
            if text.allSatisfy({ $0 < 0x80 }) { return appendParts(of: text, to: &bytes) }
            SearchLetters.folded(String(decoding: text, as: UTF8.self))
                .withUnsafeBufferPointer { appendParts(of: $0, to: &bytes) }
        }
        bytes.append(0)
        name.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private static func appendParts(
        of text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]
    ) {
        let dot = text.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == 0 ? nil : $0 }
        append(UnsafeBufferPointer(rebasing: text[..<(dot ?? text.count)]), to: &bytes)
        bytes.append(0)
        append(UnsafeBufferPointer(rebasing: text[(dot ?? text.count)...]), to: &bytes)
    }

    /// The first eight bytes of a key, the first one highest: most keys differ there.
    package static func prefix(of key: ArraySlice<UInt8>) -> UInt64 {
        let word = key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        return word << (8 * UInt64(8 - min(key.count, 8)))
    }

    private static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var index = 0
        while index < text.count {
            guard isDigit(text[index]) else {
                let byte = text[index]
                let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                // 0 and 1 are reserved.
                bytes.append(isCapital ? byte | 0x20 : max(byte, 2))
                index += 1
                continue
            }
            while index < text.count, text[index] == UInt8(ascii: "0") { index += 1 }
            let start = index
            while index < text.count, isDigit(text[index]) { index += 1 }
            bytes.append(1)
            bytes.append(UInt8(clamping: index - start))
            bytes.append(contentsOf: text[start..<index])
        }
    }

    package static func < (a: NaturalOrderKey, b: NaturalOrderKey) -> Bool {
        a.prefix == b.prefix ? a.bytes.lexicographicallyPrecedes(b.bytes) : a.prefix < b.prefix
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
