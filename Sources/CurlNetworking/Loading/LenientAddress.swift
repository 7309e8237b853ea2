package import FoundationEssentials
@_spi(_Unicode) import Swift

/// Addresses as people and pages write them, made valid (RFC 3986, RFC 3492).
///
/// `URL(string:)` escapes every percent sign of an address in which another byte is not valid, also that of a valid
/// escape.
package enum LenientAddress {
    /// The URL of an address; nil if it is not valid even so.
    package static func url(_ text: String, relativeTo base: URL? = nil) -> URL? {
        valid(text).flatMap { URL(string: $0, relativeTo: base) }
    }

    /// An address with its invalid bytes percent-encoded, and the ASCII spelling of its host. Valid escapes stay.
    ///
    /// - Parameter text: Absolute or relative.
    /// - Returns: nil if the host is not valid.
    package static func valid(_ text: String) -> String? {
        var rest = Array(text.utf8)[...]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rest.count)
        if let start = authorityStart(in: rest) {
            let end = rest[start...].firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
            guard let place = validAuthority(rest[start..<end]) else { return nil }
            bytes += rest[..<start]
            bytes += place
            rest = rest[end...]
        }
        bytes += escaped(rest)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The position after `//`; nil if there is no authority.
    private static func authorityStart(in text: ArraySlice<UInt8>) -> Int? {
        var start = text.startIndex
        if let first = text.first, isLetter(first),
            let colon = text.firstIndex(where: { !isSchemeByte($0) }),
            text[colon] == UInt8(ascii: ":")
        {
            start = colon + 1
        }
        return text[start...].starts(with: "//".utf8) ? start + 2 : nil
    }

    // MARK: - Bytes

    private static func escaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var isInFragment = false
        for index in text.indices {
            let byte = text[index]
            let isValid: Bool
            switch byte {
            case UInt8(ascii: "%"): isValid = escape(at: index, in: text) != nil
            case UInt8(ascii: "#"):
                isValid = !isInFragment
                isInFragment = true
            default: isValid = isHostByte(byte) || ":@/?".utf8.contains(byte)
            }
            if isValid {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return result
    }

    /// The byte that a percent sign and two hexadecimal digits stand for.
    private static func escape(at index: Int, in text: ArraySlice<UInt8>) -> UInt8? {
        guard index + 2 < text.endIndex, let high = hexadecimalValue(of: text[index + 1]),
            let low = hexadecimalValue(of: text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func hexadecimalValue(of byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "+-.".utf8.contains(byte)
    }

    /// Whether a byte is valid in a host, and anywhere else, without an escape: unreserved or a sub-delimiter.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~!$&'()*+,;=".utf8.contains(byte)
    }

    // MARK: - The host

    private static func validAuthority(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let mark = text.lastIndex(of: UInt8(ascii: "@"))
        let user = mark.map { escaped(text[..<$0]) + [UInt8(ascii: "@")] } ?? []
        let place = mark.map { text[($0 + 1)...] } ?? text
        guard place.first != UInt8(ascii: "[") else {
            // An IPv6 address, perhaps with a zone.
            let isValid = place.allSatisfy { isHostByte($0) || "[]:%".utf8.contains($0) }
            return isValid ? user + place : nil
        }
        let end = place.firstIndex(of: UInt8(ascii: ":")) ?? place.endIndex
        guard let host = asciiHost(place[..<end]), place[end...].dropFirst().allSatisfy(isDigit)
        else { return nil }
        return user + host + place[end...]
    }

    /// A host in ASCII; nil if it is not valid.
    private static func asciiHost(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        if text.allSatisfy(isHostByte) { return Array(text) }
        guard let bytes = unescaped(text), let name = String(validating: bytes, as: UTF8.self)
        else { return nil }
        var labels: [String] = []
        let parts = folded(name).unicodeScalars.split(
            separator: ".", omittingEmptySubsequences: false)
        for part in parts {
            let label = String(Substring(part))
            if label.utf8.allSatisfy(isHostByte) {
                labels.append(label)
                continue
            }
            // The time to encode grows with the square of the length.
            guard part.count <= labelLimit, part.allSatisfy(isHostScalar),
                let encoded = Punycode.encode(label), encoded.utf8.count + 4 <= labelLimit
            else { return nil }
            labels.append("xn--" + encoded)
        }
        return Array(labels.joined(separator: ".").utf8)
    }

    /// RFC 1035, section 2.3.4.
    private static let labelLimit = 63

    /// Decodes the escapes; nil if there is a percent sign without two digits.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "%") else {
                bytes.append(text[index])
                index += 1
                continue
            }
            guard let byte = escape(at: index, in: text) else { return nil }
            bytes.append(byte)
            index += 3
        }
        return bytes
    }

    /// In lower case and Normalization Form C, with fullwidth letters and ideographic full stops as in ASCII, and without
    /// invisible characters: what hosts need of UTS #46.
    private static func folded(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            switch scalar.value {
            case 0x3002, 0xFF61: scalars.append(".")
            case 0xFF01...0xFF5E:
                scalars.append(Unicode.Scalar(UInt8(scalar.value - 0xFF01 + 0x21)))
            default: scalars.append(scalar)
            }
        }
        var composed = String.UnicodeScalarView()
        composed.append(contentsOf: String(scalars).lowercased()._nfc)
        return String(composed)
    }

    private static func isHostScalar(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return isHostByte(UInt8(scalar.value)) }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator,
            .lineSeparator, .paragraphSeparator:
            return false
        default: return true
        }
    }
}
