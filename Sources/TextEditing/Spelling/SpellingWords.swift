/// Finds the words of a line that a dictionary can know.
///
/// A word is a run of letters with the apostrophes inside it. Left out are what people write that is in no
/// dictionary: single letters, words with digits or underscores in them, `camelCase`, `CAPITALS`, addresses
/// and paths (whatever stands without a space around `://`, `@`, `/`, `\` or a full stop within), and
/// scripts that are written without spaces.
public enum SpellingWords {
    /// - Parameters:
    ///   - bytes: A line in UTF-8; an invalid byte ends a word.
    ///   - base: The offset of its first byte.
    /// - Returns: The words in ascending order, as offsets from `base`.
    public static func ranges(in bytes: [UInt8], base: Int = 0) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            guard !isSpace(bytes[start]) else {
                start += 1
                continue
            }
            var end = start
            while end < bytes.count, !isSpace(bytes[end]) { end += 1 }
            if !isAddress(bytes[start..<end]) {
                found += words(of: bytes, in: start..<end).map {
                    base + $0.lowerBound..<base + $0.upperBound
                }
            }
            start = end
        }
        return found
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    /// Whether a chunk between spaces is an address, a path or a name of a file.
    private static func isAddress(_ chunk: ArraySlice<UInt8>) -> Bool {
        if chunk.contains(where: { "@/\\".utf8.contains($0) }) { return true }
        var previous: UInt8 = 0x20
        for (byte, next) in zip(chunk, chunk.dropFirst()) {
            if byte == UInt8(ascii: "."), isASCIILetter(previous), isASCIILetter(next) {
                return true
            }
            previous = byte
        }
        return false
    }

    private static func isASCIILetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }

    private static func words(of bytes: [UInt8], in chunk: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var word = Word()
        func finish(_ word: Word) {
            if let range = word.range { found.append(range) }
        }
        bytes.withUnsafeBufferPointer { buffer in
            var position = chunk.lowerBound
            while position < chunk.upperBound {
                let scalar = UTF8Decoding.scalar(in: buffer, at: position)
                let end = min(position + max(1, scalar.length), chunk.upperBound)
                if word.take(scalar, at: position..<end) == .end {
                    finish(word)
                    word = Word()
                }
                position = end
            }
        }
        finish(word)
        return found
    }
}

/// A word as far as it is read.
private struct Word {
    private var start: Int?
    /// Behind its last letter: an apostrophe at its end is a quotation mark.
    private var end = 0
    private var letterCount = 0
    private var isUsual = true
    private var hasSmall = false
    private var hasInnerCapital = false

    /// What a scalar is to the word before it.
    enum Role {
        case part
        /// It ends the word.
        case end
    }

    mutating func take(_ scalar: DecodedScalar, at range: Range<Int>) -> Role {
        guard scalar.isValid, let unicode = Unicode.Scalar(scalar.value) else { return .end }
        switch unicode.value {
        case 0x27, 0x2019: return start == nil ? .end : .part
        case 0x30...0x39, 0x5F:
            isUsual = false
            begin(range)
            return .part
        default: break
        }
        let properties = unicode.properties
        switch properties.generalCategory {
        case .uppercaseLetter, .titlecaseLetter:
            if letterCount > 0 { hasInnerCapital = true }
            letterCount += 1
        case .lowercaseLetter:
            hasSmall = true
            letterCount += 1
        case .otherLetter, .modifierLetter:
            // Hebrew and Arabic have words; scripts without spaces have none that can be told.
            if unicode.value >= 0x0E00 { isUsual = false }
            hasSmall = true
            letterCount += 1
        case .nonspacingMark, .spacingMark, .enclosingMark:
            guard start != nil else { return .end }
        default: return .end
        }
        begin(range)
        return .part
    }

    private mutating func begin(_ range: Range<Int>) {
        if start == nil { start = range.lowerBound }
        end = range.upperBound
    }

    var range: Range<Int>? {
        guard let start, isUsual, letterCount >= 2, hasSmall, !hasInnerCapital else { return nil }
        return start..<end
    }
}
