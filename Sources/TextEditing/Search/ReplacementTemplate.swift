/// What takes the place of a match of a regular expression: text, and groups of the match.
struct ReplacementTemplate {
    private enum Part {
        case text([UInt8])
        case lineBreak
        case group(Int)
        case namedGroup(String)
    }

    private var parts: [Part] = []

    /// Reads `$1`, `${12}`, `${name}`, `\1`, `\n`, `\t`, `\\` and `$$`; everything else stands for itself.
    init(_ template: String) {
        var text: [UInt8] = []
        let bytes = Array(template.utf8)
        var index = 0
        func close(_ text: inout [UInt8], _ parts: inout [Part]) {
            if !text.isEmpty { parts.append(.text(text)) }
            text = []
        }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "$") || byte == UInt8(ascii: "\\"), index < bytes.count
            else {
                text.append(byte)
                continue
            }
            if let (group, next) = Self.group(in: bytes, from: index, allowsBraces: byte == 0x24) {
                close(&text, &parts)
                parts.append(.group(group))
                index = next
            } else if byte == UInt8(ascii: "$"),
                let (name, next) = Self.name(in: bytes, from: index)
            {
                close(&text, &parts)
                parts.append(.namedGroup(name))
                index = next
            } else if bytes[index] == byte {
                text.append(byte)
                index += 1
            } else if byte == UInt8(ascii: "\\"), bytes[index] == UInt8(ascii: "n") {
                close(&text, &parts)
                parts.append(.lineBreak)
                index += 1
            } else if byte == UInt8(ascii: "\\"), let control = Self.controls[bytes[index]] {
                text.append(control)
                index += 1
            } else {
                text.append(byte)
            }
        }
        close(&text, &parts)
    }

    private static let controls: [UInt8: UInt8] = [
        UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// A group's number at `start`: at most two digits, perhaps in braces.
    private static func group(
        in bytes: [UInt8], from start: Int, allowsBraces: Bool
    ) -> (group: Int, next: Int)? {
        let isBraced = allowsBraces && bytes[start] == UInt8(ascii: "{")
        var index = start + (isBraced ? 1 : 0)
        var number: Int?
        while index < bytes.count, (0x30...0x39).contains(bytes[index]), (number ?? 0) < 10 {
            number = (number ?? 0) * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        guard let number else { return nil }
        guard isBraced else { return (number, index) }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "}") else { return nil }
        return (number, index + 1)
    }

    /// A group's name in braces at `start`: letters, digits and `_`, as PCRE2 has them.
    private static func name(in bytes: [UInt8], from start: Int) -> (name: String, next: Int)? {
        guard bytes[start] == UInt8(ascii: "{"),
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "}"))
        else { return nil }
        let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
        guard let first = name.first, !first.isNumber,
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else { return nil }
        return (name, end + 1)
    }

    /// - Parameters:
    ///   - lineEnding: What `\n` stands for.
    ///   - group: The bytes of a group; empty when it took no part in the match.
    ///   - named: The same by its name; nil when the expression has no such group, and the words stand for themselves.
    func expanded(
        lineEnding: [UInt8], _ group: (Int) -> [UInt8], named: (String) -> [UInt8]?
    ) -> TextBuffer {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .text(let text): bytes += text
            case .lineBreak: bytes += lineEnding
            case .group(let number): bytes += group(number)
            case .namedGroup(let name): bytes += named(name) ?? Array("${\(name)}".utf8)
            }
        }
        return TextBuffer(utf8: bytes)
    }
}
