/// Removes unnecessary bytes before parsing: NUL, at which libxml2 stops, and excessive attributes, for which
/// it needs quadratic time.
///
/// All other bytes stay the same.
struct TagTrimmer {
    private enum Place {
        case text, opening
        /// After `<!` and so many dashes.
        case declaration(dashCount: Int)
        case comment(dashCount: Int)
        /// In a tag; `quote` ends the attribute's value.
        case tag(quote: UInt8?)
        /// In a script or a style sheet, where only its end tag is markup: so many bytes of that were found.
        case raw(foundCount: Int)
    }

    /// What libxml2 reads as raw text.
    private static let rawNames = [Array("script".utf8), Array("style".utf8)]

    let attributeLimit: Int

    /// - Parameter bytes: UTF-8.
    func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var place = Place.text
        var attributeCount = 0
        var wasSpace = false
        var (name, isInName, last): ([UInt8], Bool, UInt8) = ([], false, 0)
        for byte in bytes {
            defer { last = byte }
            if byte == 0 {
                result += [0xEF, 0xBF, 0xBD]
                continue
            }
            switch place {
            case .text:
                if byte == UInt8(ascii: "<") { place = .opening }
            case .opening:
                place =
                    Self.isLetter(byte)
                    ? .tag(quote: nil)
                    : byte == UInt8(ascii: "!") ? .declaration(dashCount: 0) : .text
                (name, isInName) = ([byte | 0x20], true)
                attributeCount = 0
                wasSpace = false
            case .declaration(let count):
                if byte == UInt8(ascii: "-") {
                    place = count == 1 ? .comment(dashCount: 0) : .declaration(dashCount: 1)
                } else {
                    place = byte == UInt8(ascii: "<") ? .opening : .text
                }
            case .comment(let count):
                if byte == UInt8(ascii: "-") {
                    place = .comment(dashCount: count + 1)
                } else if byte == UInt8(ascii: ">"), count >= 2 {
                    place = .text
                } else if byte != UInt8(ascii: "!") || count < 2 {
                    place = .comment(dashCount: 0)
                }
            case .raw(let count):
                // `</script`
                let end = [UInt8(ascii: "<"), UInt8(ascii: "/")] + name
                let isNext = (Self.isLetter(byte) ? byte | 0x20 : byte) == end[count]
                let found = isNext ? count + 1 : byte == UInt8(ascii: "<") ? 1 : 0
                place = found == end.count ? .text : .raw(foundCount: found)
            case .tag(quote: nil):
                if isInName, Self.isLetter(byte), name.count < 8 {
                    name.append(byte | 0x20)
                } else {
                    isInName = false
                }
                if byte == UInt8(ascii: ">") {
                    // `<script/>` is empty.
                    let isRaw = Self.rawNames.contains(name) && last != UInt8(ascii: "/")
                    place = isRaw ? .raw(foundCount: 0) : .text
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
