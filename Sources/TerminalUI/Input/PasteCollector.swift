/// Collects a bracketed paste up to its end, `CSI 201 ~`, which may be split between reads.
struct PasteCollector: Sendable {
    private static let end: [UInt8] = [0x1B] + Array("[201~".utf8)

    private var bytes: [UInt8] = []
    private var isComplete = false

    /// Pasted text larger than this is cut: it is not intentional.
    private static let limit = 256 << 20

    /// The complete text: line endings are `\n`, invalid UTF-8 is replaced.
    var text: String? {
        guard isComplete else { return nil }
        return String(decoding: Self.normalized(bytes), as: UTF8.self)
    }

    /// Takes bytes from `start` on and returns the position after the paste's bytes.
    mutating func collect(_ chunk: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        // The end may have begun in earlier bytes.
        let searchStart = max(0, bytes.count - (Self.end.count - 1))
        let before = bytes.count
        bytes.append(contentsOf: chunk[start...])
        if let found = Self.firstEnd(in: bytes, from: searchStart) {
            let consumed = found + Self.end.count - before
            bytes.removeSubrange(found...)
            isComplete = true
            return start + consumed
        }
        let kept = Self.end.count - 1
        if bytes.count > Self.limit + kept {
            bytes.removeSubrange(Self.limit..<(bytes.count - kept))
        }
        return chunk.count
    }

    private static func firstEnd(in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            var index = start
            while index + end.count <= bytes.count {
                if bytes[index] == end[0], bytes[index..<(index + end.count)].elementsEqual(end) {
                    return index
                }
                index += 1
            }
            return nil
        }
    }

    /// Terminals send a carriage return for each line ending.
    private static func normalized(_ bytes: [UInt8]) -> [UInt8] {
        let carriageReturn = UInt8(ascii: "\r")
        let lineFeed = UInt8(ascii: "\n")
        guard bytes.contains(carriageReturn) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var previous: UInt8 = 0
        for byte in bytes {
            if byte == carriageReturn {
                result.append(lineFeed)
            } else if byte != lineFeed || previous != carriageReturn {
                result.append(byte)
            }
            previous = byte
        }
        return result
    }
}
