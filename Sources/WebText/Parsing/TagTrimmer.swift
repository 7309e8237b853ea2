/// Changes bytes before parsing: replaces NUL, at which libxml2 stops, and references by name, of which it does not know
/// all; removes excessive attributes, for which it needs quadratic time.
///
/// All other bytes stay the same. Where a tag begins and ends is decided as libxml2 2.9 does, as far as real pages need
/// it; ``HTMLParser`` stops at a tag that is hidden all the same.
struct TagTrimmer {
    private enum Place {
        case text, opening
        /// After `</` or `<?`: a name makes it a tag.
        case ending
        /// After `<!` and so many dashes.
        case declaration(dashCount: Int)
        case comment(dashCount: Int)
        /// In an end tag, a processing instruction or a document type: up to `>`.
        case skipping
        case tag(Value)
        /// In a script or a style sheet, where only its end tag is markup: so many bytes of that were found.
        case raw(foundCount: Int)

        var isInTag: Bool {
            if case .tag = self { return true }
            return false
        }

        /// Whether `&` begins a reference.
        var hasReferences: Bool {
            switch self {
            case .text, .tag(.quoted), .tag(.unquoted): return true
            default: return false
            }
        }
    }

    /// Where an attribute's value is, in a tag.
    private enum Value {
        case none, afterEquals, unquoted
        case quoted(UInt8)
    }

    /// What libxml2 reads as raw text.
    private static let rawNames = [Array("script".utf8), Array("style".utf8)]

    let attributeLimit: Int

    /// - Parameter bytes: UTF-8.
    func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var tag = Tag()
        var place = Place.text
        var done = 0
        for (index, byte) in bytes.enumerated() where index >= done {
            if byte == 0 {
                result += [0xEF, 0xBF, 0xBD]
                continue
            }
            place = Self.next(place, byte, &tag)
            if case .tag = place, tag.attributeCount > attributeLimit { continue }
            if byte == UInt8(ascii: "&"), place.hasReferences,
                let reference = NamedReference(
                    after: bytes[(index + 1)...], inAttribute: place.isInTag)
            {
                result += reference.number
                done = index + 1 + reference.nameLength
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// The tag that is read.
    private struct Tag {
        var name: [UInt8] = []
        /// `</name`, for raw text.
        var end: [UInt8] = []
        var isInName = false
        var attributeCount = 0
        var wasSpace = false
        var last: UInt8 = 0

        init() {}

        init(_ first: UInt8) {
            name = [first | 0x20]
            isInName = true
        }
    }

    private static func next(_ place: Place, _ byte: UInt8, _ tag: inout Tag) -> Place {
        defer { tag.last = byte }
        switch place {
        case .text: return byte == UInt8(ascii: "<") ? .opening : .text
        case .opening:
            switch byte {
            case _ where isLetter(byte):
                tag = Tag(byte)
                return .tag(.none)
            case UInt8(ascii: "!"): return .declaration(dashCount: 0)
            case UInt8(ascii: "/"), UInt8(ascii: "?"): return .ending
            case UInt8(ascii: "<"): return .opening
            default: return .text
            }
        case .ending:
            if byte == UInt8(ascii: "<") { return .opening }
            return isLetter(byte) ? .skipping : .text
        case .skipping: return byte == UInt8(ascii: ">") ? .text : .skipping
        case .declaration(let count):
            if byte == UInt8(ascii: "-") {
                return count == 1 ? .comment(dashCount: 0) : .declaration(dashCount: 1)
            }
            return byte == UInt8(ascii: ">") ? .text : .skipping
        case .comment(let count):
            if byte == UInt8(ascii: "-") { return .comment(dashCount: count + 1) }
            if byte == UInt8(ascii: ">"), count >= 2 { return .text }
            return .comment(dashCount: byte == UInt8(ascii: "!") && count >= 2 ? count : 0)
        case .raw(let count): return raw(count, byte, tag)
        case .tag(let value): return self.tag(value, byte, &tag)
        }
    }

    private static func raw(_ count: Int, _ byte: UInt8, _ tag: Tag) -> Place {
        if count == tag.end.count {
            // `</scripts` does not end a script.
            if byte == UInt8(ascii: ">") { return .text }
            return isNameByte(byte) ? .raw(foundCount: 0) : .skipping
        }
        let isNext = (isLetter(byte) ? byte | 0x20 : byte) == tag.end[count]
        return .raw(foundCount: isNext ? count + 1 : byte == UInt8(ascii: "<") ? 1 : 0)
    }

    private static func tag(_ value: Value, _ byte: UInt8, _ tag: inout Tag) -> Place {
        if case .quoted(let quote) = value {
            // `a="1"b="2"` has two attributes.
            if byte == quote { tag.wasSpace = true }
            return .tag(byte == quote ? .none : value)
        }
        if tag.isInName, isLetter(byte), tag.name.count < 8 {
            tag.name.append(byte | 0x20)
        } else {
            tag.isInName = false
        }
        if byte == UInt8(ascii: ">") {
            // `<script/>` is empty; a slash at the end of a value without quotes belongs to that.
            var isUnquoted = false
            if case .unquoted = value { isUnquoted = true }
            let isEmpty = tag.last == UInt8(ascii: "/") && !isUnquoted
            guard rawNames.contains(tag.name), !isEmpty else { return .text }
            tag.end = [UInt8(ascii: "<"), UInt8(ascii: "/")] + tag.name
            return .raw(foundCount: 0)
        }
        if isBlank(byte) {
            tag.wasSpace = true
            if case .afterEquals = value { return .tag(value) }
            return .tag(.none)
        }
        switch value {
        case .unquoted: return .tag(.unquoted)
        case .afterEquals:
            let isQuote = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
            tag.wasSpace = false
            return .tag(isQuote ? .quoted(byte) : .unquoted)
        default:
            if byte == UInt8(ascii: "/") {
                tag.wasSpace = true
                return .tag(.none)
            }
            if tag.wasSpace {
                tag.attributeCount += 1
                tag.wasSpace = false
            }
            return .tag(byte == UInt8(ascii: "=") ? .afterEquals : .none)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte)
            || [UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")]
                .contains(byte)
            || byte >= 0x80
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
