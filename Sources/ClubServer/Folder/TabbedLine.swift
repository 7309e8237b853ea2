/// A line of tab-separated fields, used by the journal and the revision log.
enum TabbedLine {
    static func text(_ fields: [String]) -> String {
        fields.map(escaped).joined(separator: "\t") + "\n"
    }

    static func fields(of line: Substring) -> [String] {
        line.utf8.split(separator: 0x09, omittingEmptySubsequences: false)
            .map { unescaped(Substring($0)) }
    }

    // A name may contain anything but a slash; characters that would break a line are written as
    // %XX.
    private static func escaped(_ field: String) -> String {
        guard field.utf8.contains(where: { $0 == 0x25 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D })
        else { return field }
        var result = ""
        for scalar in field.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\t": result += "%09"
            case "\n": result += "%0A"
            case "\r": result += "%0D"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func unescaped(_ field: Substring) -> String {
        guard field.utf8.contains(0x25) else { return String(field) }
        var bytes: [UInt8] = []
        var rest = field.utf8[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2,
                let value = UInt8(String(Substring(rest.prefix(2))), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
