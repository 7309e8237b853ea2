/// Separates `Set-Cookie` lines that a dictionary of header fields has joined with commas.
///
/// This is ambiguous, because dates and values contain commas, too. A comma counts as a separator if a
/// cookie's name and an equals sign follow, and it is not in a quoted value. Use the separate lines where
/// they are available.
enum SetCookieLines {
    static func split(_ joined: String) -> [[UInt8]] {
        let bytes = Array(joined.utf8)
        var lines: [[UInt8]] = []
        var start = 0
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "="):
                index = endOfQuotedValue(after: index, in: bytes) ?? index + 1
            case UInt8(ascii: ",") where beginsCookie(at: index + 1, in: bytes):
                lines.append(Array(bytes[start..<index]))
                start = index + 1
                index += 1
            default:
                index += 1
            }
        }
        lines.append(Array(bytes[start...]))
        return lines.map { Array($0.drop(while: isBlank)) }
    }

    private static func beginsCookie(at start: Int, in bytes: [UInt8]) -> Bool {
        var index = skipBlanks(from: start, in: bytes)
        let name = index
        while index < bytes.count, isTokenByte(bytes[index]) { index += 1 }
        guard index > name else { return false }
        index = skipBlanks(from: index, in: bytes)
        return index < bytes.count && bytes[index] == UInt8(ascii: "=")
    }

    /// Returns the position after the closing quote of a quoted value.
    private static func endOfQuotedValue(after equals: Int, in bytes: [UInt8]) -> Int? {
        let start = skipBlanks(from: equals + 1, in: bytes)
        guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: ";") {
            if bytes[index] == UInt8(ascii: "\"") { return index + 1 }
            index += 1
        }
        return nil
    }

    private static func skipBlanks(from start: Int, in bytes: [UInt8]) -> Int {
        var index = start
        while index < bytes.count, isBlank(bytes[index]) { index += 1 }
        return index
    }

    /// Includes line ends: a dictionary may contain folded lines.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
