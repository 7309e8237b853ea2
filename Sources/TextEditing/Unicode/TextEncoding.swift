/// How bytes that are not UTF-8 stand for text.
public enum TextEncoding: String, Sendable, Hashable, CaseIterable {
    case utf16LittleEndian = "UTF-16 (little endian)"
    case utf16BigEndian = "UTF-16 (big endian)"
    /// ISO 8859-1; with the signs that Windows has in place of its controls when there are any.
    case latin1 = "Latin-1"
    case windows1252 = "Windows-1252"

    /// What bytes seem to be in that are not UTF-8; nil for what is not text.
    public static func detected(in text: TextBuffer) -> TextEncoding? {
        if text.count >= 2 {
            switch (text[0], text[1]) {
            case (0xFF, 0xFE): return .utf16LittleEndian
            case (0xFE, 0xFF): return .utf16BigEndian
            default: break
            }
        }
        var isText = true
        var hasWindowsSigns = false
        text.forEachSpan(in: 0..<text.count) { span in
            for byte in span {
                switch byte {
                case 0x09, 0x0A, 0x0C, 0x0D, 0x20...0x7E, 0xA0...0xFF: break
                case 0x81, 0x8D, 0x8F, 0x90, 0x9D: isText = false
                case 0x80...0x9F: hasWindowsSigns = true
                default: isText = false
                }
            }
            return isText
        }
        guard isText else { return nil }
        return hasWindowsSigns ? .windows1252 : .latin1
    }

    /// The text in UTF-8; nil when the bytes are not in this encoding, or when something would be lost.
    public func decoded(_ text: TextBuffer) -> TextBuffer? {
        let bytes = text.bytes(in: 0..<text.count)
        switch self {
        case .utf16LittleEndian: return Self.utf16(bytes, low: 0)
        case .utf16BigEndian: return Self.utf16(bytes, low: 1)
        case .latin1, .windows1252:
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count + bytes.count / 4)
            for byte in bytes {
                let value =
                    self == .windows1252 && (0x80...0x9F).contains(byte)
                    ? Self.windowsSigns[Int(byte) - 0x80] : UInt16(byte)
                guard value != 0, let scalar = Unicode.Scalar(value) else { return nil }
                UTF8.encode(scalar).map { result.append(contentsOf: $0) }
            }
            return TextBuffer(utf8: result)
        }
    }

    /// - Parameter low: Which of two bytes is the low one.
    private static func utf16(_ bytes: [UInt8], low: Int) -> TextBuffer? {
        guard bytes.count >= 2, bytes.count % 2 == 0 else { return nil }
        let units = stride(from: 2, to: bytes.count, by: 2).map {
            UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + 1 - low]) << 8
        }
        var result: [UInt8] = []
        let isBroken = transcode(
            units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
        ) { result.append($0) }
        return isBroken ? nil : TextBuffer(utf8: result)
    }

    /// What 0x80 to 0x9F are in Windows-1252; 0 where there is nothing.
    /// The byte of a character where each has one; nil where it has none, and in UTF-16.
    package func byte(of scalar: Unicode.Scalar) -> UInt8? {
        switch self {
        case .utf16LittleEndian, .utf16BigEndian: return nil
        case .latin1: return UInt8(exactly: scalar.value)
        case .windows1252:
            if scalar.value >= 0x100 {
                return Self.windowsSigns.firstIndex { UInt32($0) == scalar.value }
                    .map { UInt8(0x80 + $0) }
            }
            return (0x80...0x9F).contains(scalar.value) ? nil : UInt8(exactly: scalar.value)
        }
    }

    private static let windowsSigns: [UInt16] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]
}
