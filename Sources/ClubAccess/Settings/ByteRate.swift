/// A rate as people write it: `500K`, `4M`, `1.5 MB`, `100 KiB/s`, `200000`; bytes per second, in powers of 1024.
package struct ByteRate: Hashable, Sendable {
    package let bytesPerSecond: Int64

    /// Nil for an invalid rate, for less than a byte, and for rates that are too large.
    package init?(_ text: String) {
        var digits = text[...]
        if digits.lowercased().hasSuffix("/s") { digits.removeLast(2) }
        let hasUnit = digits.last == "B" || digits.last == "b"
        if hasUnit {
            digits.removeLast()
            if digits.last == "i" { digits.removeLast() }
        }
        var factor = 1.0
        switch digits.last {
        case "K", "k": factor = 1024
        case "M", "m": factor = 1024 * 1024
        case "G", "g": factor = 1024 * 1024 * 1024
        default: break
        }
        if factor > 1 { digits.removeLast() }
        while digits.last == " ", digits.count > 1, factor > 1 || hasUnit { digits.removeLast() }
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(digits), case let bytes = number * factor,
            bytes >= 1, bytes < 1e15
        else { return nil }
        bytesPerSecond = Int64(bytes)
    }
}
