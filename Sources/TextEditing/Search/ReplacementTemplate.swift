/// What takes the place of a match of a regular expression: text, and groups of the match.
struct ReplacementTemplate {
    private enum Part {
        case text([UInt8])
        case lineBreak
        case group(Int)
    }

    private var parts: [Part] = []

    /// Reads `$1`, `${12}`, `\1`, `\n`, `\t`, `\\` and `$$`; everything else stands for itself.
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

    /// - Parameter lineEnding: What `\n` stands for.
    func expanded(lineEnding: [UInt8], _ group: (Int) -> [UInt8]) -> TextBuffer {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .text(let text): bytes += text
            case .lineBreak: bytes += lineEnding
            case .group(let number): bytes += group(number)
            }
        }
        return TextBuffer(utf8: bytes)
    }
}
