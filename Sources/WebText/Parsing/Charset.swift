import CByteClubXML

/// Converts pages in any encoding to UTF-8.
///
/// Determines the encoding in this order: a byte order mark, valid UTF-8, the label of the response, the
/// page's own (`<meta charset>`), a guess from the bytes (``CharsetGuess``), windows-1252. So a wrong label
/// does no harm if the page is UTF-8, nor do the common wrong labels, UTF-8 and Latin-1, if it is Chinese,
/// Japanese or Korean.
public enum Charset {
    /// - Parameters:
    ///   - label: The encoding named by the response.
    ///   - isHTML: Whether the text may declare its encoding.
    public static func utf8(_ bytes: [UInt8], label: String?, isHTML: Bool = true) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return repaired(Array(bytes.dropFirst(3))) }
        if bytes.starts(with: [0xFE, 0xFF]) { return converted(bytes, "UTF-16BE", skipping: 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return converted(bytes, "UTF-16LE", skipping: 2) }
        let labels = [label, isHTML ? metaLabel(in: bytes) : nil].compactMap { $0 }
        let names = labels.compactMap { name(for: $0) }
        // English text in UTF-16 is valid UTF-8 with NUL in every other position.
        if let first = names.first, first.hasPrefix("UTF-16") || first.hasPrefix("ISO-2022") {
            return converted(bytes, first, skipping: 0)
        }
        if isUTF8(bytes) { return bytes }
        // Truncated or slightly damaged UTF-8 is still UTF-8.
        if names.isEmpty || names.first == "UTF-8", isNearlyUTF8(bytes) { return repaired(bytes) }
        let defaults: Set<String> = ["UTF-8", "WINDOWS-1252"]
        if let name = names.first(where: { !defaults.contains($0) }) ?? CharsetGuess(bytes).name {
            return converted(bytes, name, skipping: 0)
        }
        if names.contains("WINDOWS-1252") || names.isEmpty {
            return converted(bytes, "WINDOWS-1252", skipping: 0)
        }
        return repaired(bytes)
    }

    /// Web labels for which glibc has another name, or which include more characters than their name says.
    private static let names: [String: String] = [
        "utf8": "UTF-8", "unicode-1-1-utf-8": "UTF-8", "iso-8859-1": "WINDOWS-1252",
        "latin1": "WINDOWS-1252", "ascii": "WINDOWS-1252", "us-ascii": "WINDOWS-1252",
        "iso-8859-9": "WINDOWS-1254", "iso-8859-11": "WINDOWS-874", "tis-620": "WINDOWS-874",
        "gb2312": "GB18030", "gbk": "GB18030", "gb_2312-80": "GB18030", "x-gbk": "GB18030",
        "shift_jis": "CP932", "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932",
        "windows-31j": "CP932", "big5": "BIG5-HKSCS", "x-x-big5": "BIG5-HKSCS",
        "euc-kr": "CP949", "ks_c_5601-1987": "CP949", "utf-16": "UTF-16LE",
        "x-user-defined": "WINDOWS-1252", "x-mac-cyrillic": "MAC-CYRILLIC",
    ]

    /// iconv's name of the encoding; nil if unknown.
    private static func name(for label: String) -> String? {
        let label = label.lowercased()
        let isPlain = label.utf8.allSatisfy {
            ($0 >= 0x30 && $0 < 0x3A) || ($0 >= 0x61 && $0 < 0x7B) || $0 == 0x2D || $0 == 0x5F
                || $0 == 0x3A || $0 == 0x2E
        }
        guard isPlain, !label.isEmpty, label.utf8.count < 40 else { return nil }
        let name = names[label] ?? label.uppercased()
        guard let converter = byteclub_iconv_open(name) else { return nil }
        byteclub_iconv_close(converter)
        return name
    }

    /// The value of `charset=` in the first 2 KiB.
    private static func metaLabel(in bytes: [UInt8]) -> String? {
        let head = bytes.prefix(2048).map { $0 >= 0x41 && $0 < 0x5B ? $0 | 0x20 : $0 }
        let key = Array("charset=".utf8)
        guard head.count > key.count else { return nil }
        for start in 0...(head.count - key.count) where head[start...].starts(with: key) {
            let isEnd: (UInt8) -> Bool = { "\"' \t\r\n;/>".utf8.contains($0) }
            let rest = head[(start + key.count)...].drop { "\"' ".utf8.contains($0) }
            let label = String(decoding: rest.prefix { !isEnd($0) }, as: UTF8.self)
            // A page in UTF-16 could not have been read this far.
            if !label.isEmpty { return label.hasPrefix("utf-16") ? "utf-8" : label }
        }
        return nil
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// Whether most non-ASCII bytes are UTF-8.
    private static func isNearlyUTF8(_ bytes: [UInt8]) -> Bool {
        var (right, wrong) = (0, 0)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where !scalar.isASCII {
            if scalar == "\u{FFFD}" { wrong += 1 } else { right += 1 }
        }
        return right > 0 && wrong <= max(1, right / 10)
    }

    /// Replaces invalid bytes by U+FFFD.
    private static func repaired(_ bytes: [UInt8]) -> [UInt8] {
        Array(String(decoding: bytes, as: UTF8.self).utf8)
    }

    /// Replaces characters that the encoding does not have by U+FFFD.
    private static func converted(_ bytes: [UInt8], _ name: String, skipping: Int) -> [UInt8] {
        guard let converter = byteclub_iconv_open(name) else { return repaired(bytes) }
        defer { byteclub_iconv_close(converter) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var offset = skipping
        while offset < bytes.count {
            var count = 0
            let problem = byteclub_iconv(
                converter, bytes, &offset, bytes.count, &buffer, &count, buffer.count)
            result += buffer[..<count]
            if problem == 0 { break }
            if problem == E2BIG { continue }
            result += [0xEF, 0xBF, 0xBD]
            if problem == EINVAL { break }
            offset += name.hasPrefix("UTF-16") ? 2 : 1
        }
        return result
    }
}
