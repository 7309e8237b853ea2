/// Removes unnecessary bytes before parsing: NUL, at which libxml2 stops, and excessive attributes, for which
/// it needs quadratic time.
///
/// All other bytes stay the same.
struct TagTrimmer {
    private enum Place {
        case text, opening
        /// In a tag; `quote` ends the attribute's value.
        case tag(quote: UInt8?)
    }

    let attributeLimit: Int

    /// - Parameter bytes: UTF-8.
    func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var place = Place.text
        var attributeCount = 0
        var wasSpace = false
        for byte in bytes {
            if byte == 0 {
                result += [0xEF, 0xBF, 0xBD]
                continue
            }
            switch place {
            case .text:
                if byte == UInt8(ascii: "<") { place = .opening }
            case .opening:
                place = Self.isLetter(byte) ? .tag(quote: nil) : .text
                attributeCount = 0
                wasSpace = false
            case .tag(quote: nil):
                if byte == UInt8(ascii: ">") {
                    place = .text
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    place = .tag(quote: byte)
                } else if Self.isSpace(byte) {
                    wasSpace = true
                } else if wasSpace {
                    attributeCount += 1
                    wasSpace = false
                }
            case .tag(let quote?):
                if byte == quote {
                    place = .tag(quote: nil)
                    // `a="1"b="2"` has two attributes.
                    wasSpace = true
                }
            }
            if case .tag = place, attributeCount > attributeLimit { continue }
            result.append(byte)
        }
        return result
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == UInt8(ascii: "/") || (0x09...0x0D).contains(byte)
    }
}
