/// Looks for bytes, with ASCII letters of either case where wanted.
package struct ByteSearch: Sendable {
    private let needle: [UInt8]
    private let folds: Bool

    /// - Parameter needle: Not empty.
    package init(_ needle: [UInt8], ignoresCase: Bool) {
        folds = ignoresCase
        self.needle = ignoresCase ? needle.map(Self.folded) : needle
    }

    private static let windowCount = 65_536

    func matches(
        in text: TextBuffer, beginningIn range: Range<Int>, limit: Int,
        while shouldContinue: () -> Bool
    ) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var base = range.lowerBound
        let last = min(range.upperBound - 1, text.count - needle.count)
        while base <= last, result.count < limit {
            let end = min(base + Self.windowCount, last + 1)
            var next = end
            text.withBytes(in: base..<end + needle.count - 1) { bytes in
                var start = 0
                while result.count < limit, let found = first(in: bytes, from: start) {
                    result.append(base + found..<base + found + needle.count)
                    start = found + needle.count
                    next = max(end, base + start)
                }
            }
            base = next
            guard shouldContinue() else { break }
        }
        return result
    }

    /// The last place of the needle in some bytes.
    package func last(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var (found, start): (Int?, Int) = (nil, 0)
        while let next = first(in: bytes, from: start) { (found, start) = (next, next + 1) }
        return found
    }

    /// The first place of the needle in some bytes, at or after `start`.
    package func first(in bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Int? {
        needle.withUnsafeBufferPointer { needle in
            let (small, large) = (needle[0], folds ? Self.capital(needle[0]) : needle[0])
            var start = start
            let last = bytes.count &- needle.count
            while start <= last {
                let byte = bytes[start]
                if byte == small || byte == large {
                    var length = 1
                    while length < needle.count, at(bytes[start &+ length]) == needle[length] {
                        length &+= 1
                    }
                    if length == needle.count { return start }
                }
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

    private static func capital(_ byte: UInt8) -> UInt8 {
        byte &- 0x61 < 26 ? byte & ~0x20 : byte
    }
}
