import FoundationEssentials

/// A parsed `Content-Disposition` field (RFC 6266).
struct ContentDisposition: Sendable {
    /// The proposed file name, unchecked: it may contain anything.
    let filename: String?

    init(_ field: String) {
        var plain: String?
        var extended: String?
        for (name, value) in Self.parameters(of: field) {
            switch name {
            case "filename" where plain == nil: plain = value
            case "filename*" where extended == nil: extended = Self.decode(extended: value)
            default: break
            }
        }
        filename = extended ?? plain
    }

    /// Returns the parameters after the first semicolon, with names in lower case and values without quotes.
    private static func parameters(of field: String) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        var name = ""
        var value = ""
        var isInValue = false
        var isQuoted = false
        var isEscaped = false
        func end() {
            if isInValue {
                found.append((name.trimmingSpaces.lowercased(), value.trimmingSpaces))
            }
            name = ""
            value = ""
            isInValue = false
        }
        for character in field {
            if isEscaped {
                value.append(character)
                isEscaped = false
            } else if isQuoted {
                switch character {
                case "\\": isEscaped = true
                case "\"": isQuoted = false
                default: value.append(character)
                }
            } else {
                switch character {
                case "\\" where isInValue: isEscaped = true
                case ";": end()
                case "=" where !isInValue:
                    isInValue = true
                    value = ""
                case "\"": isQuoted = true  // the disposition itself may be quoted, too
                default: if isInValue { value.append(character) } else { name.append(character) }
                }
            }
        }
        end()
        return found
    }

    /// Decodes an extended value such as `UTF-8'en'na%C3%AFve` (RFC 8187 §3.2), or one in ISO 8859-1, which
    /// RFC 5987 allowed. Returns nil for other encodings and for non-ASCII input.
    private static func decode(extended value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let isLatin = parts[0].isEqualIgnoringASCIICase(to: "ISO-8859-1")
        guard isLatin || parts[0].isEqualIgnoringASCIICase(to: "UTF-8") else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2].utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let number = UInt8(String(rest.prefix(2)) ?? "", radix: 16)
            else {
                return nil
            }
            bytes.append(number)
            rest = rest.dropFirst(2)
        }
        return isLatin ? String(latin1: bytes) : String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    /// Decodes ISO 8859-1.
    init(latin1 bytes: some Sequence<UInt8>) {
        self = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The text as the name of a file, without folders and control characters; nil if nothing is left.
    var asFileName: String? {
        let safe = String(
            unicodeScalars.map { scalar -> Character in
                scalar == "/" || scalar.value < 0x20 || scalar.value == 0x7F
                    ? "_" : Character(scalar)
            })
        return safe.isEmpty || safe == "." || safe == ".." ? nil : safe
    }
}
