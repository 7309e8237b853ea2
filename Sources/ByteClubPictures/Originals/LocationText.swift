/// Blanks locations in text form: XMP properties, IPTC datasets, the coordinates of a video after a picture.
/// The length and all other bytes stay the same.
///
/// Deterministic, without I/O; bytes that only resemble such data stay the same.
enum LocationText {
    /// XMP properties that contain a location, in lowercase, besides those that begin with `gps`.
    ///
    /// Source: XMP part 2, 3.4 (`exif:GPSLatitude`); IPTC Photo Metadata Standard 2023.1, location structure
    /// (`Iptc4xmpExt:City`) and its older properties (`photoshop:City`); DJI's `drone-dji:GpsLatitude`.
    private static let names: Set<[UInt8]> = Set(
        [
            "city", "state", "country", "countrycode", "countryname", "location", "sublocation",
            "provincestate", "worldregion", "locationname", "locationid",
        ].map { Array($0.utf8) })

    // MARK: - XMP

    /// Whether the name of a location property begins here; the first byte is its colon.
    static func isProperty(_ bytes: UnsafeBufferPointer<UInt8>, at colon: Int) -> Bool {
        guard colon + 4 < bytes.count else { return false }
        switch bytes[colon + 1] | 0x20 {
        case UInt8(ascii: "g"):
            return bytes[colon + 2] | 0x20 == UInt8(ascii: "p")
                && bytes[colon + 3] | 0x20 == UInt8(ascii: "s")
        case UInt8(ascii: "c"), UInt8(ascii: "s"), UInt8(ascii: "l"), UInt8(ascii: "p"),
            UInt8(ascii: "w"):
            return names.contains(
                bytes[(colon + 1)...].prefix(16).prefix { isLetter($0) }.map { $0 | 0x20 })
        default: return false
        }
    }

    /// Blanks the value of a property, in an attribute or an element with its content; its name stays.
    ///
    /// - Parameter colon: The position of the colon before the property's local name.
    /// - Returns: The changed range.
    static func blankProperty(_ text: inout [UInt8], at colon: Int) -> Range<Int>? {
        var start = colon
        while start > 0,
            isLetter(text[start - 1]) || text[start - 1] == UInt8(ascii: "-")
                || isDigit(text[start - 1])
        { start -= 1 }
        // An end tag.
        guard start == 0 || text[start - 1] != UInt8(ascii: "/") else { return nil }
        var index = colon + 1
        while index < text.count, isLetter(text[index]) { index += 1 }
        let name = Array(text[(colon + 1)..<index])
        skipBlanks(text, &index)
        guard index < text.count else { return nil }
        guard text[index] != UInt8(ascii: "=") else {
            index += 1
            skipBlanks(text, &index)
            guard index < text.count, text[index] == 0x22 || text[index] == 0x27 else { return nil }
            let quote = text[index]
            let value = text[(index + 1)...].prefix(1024).prefix { $0 != quote }
            guard value.endIndex < text.count, text[value.endIndex] == quote else { return nil }
            return blank(&text, value.startIndex..<value.endIndex)
        }
        // Attributes of the element come first.
        let tag = text[index...].prefix(512).prefix {
            $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<")
        }
        guard tag.endIndex < text.count, text[tag.endIndex] == UInt8(ascii: ">"),
            tag.last != UInt8(ascii: "/"),
            let end = endOfElement(text, named: name, from: tag.endIndex + 1)
        else { return nil }
        return blank(&text, tag.endIndex + 1..<end)
    }

    /// The position of a name's end tag.
    private static func endOfElement(_ text: [UInt8], named name: [UInt8], from start: Int) -> Int?
    {
        let limit = min(text.count, start + 4096)
        var index = start
        while index + 1 < limit {
            guard text[index] == UInt8(ascii: "<"), text[index + 1] == UInt8(ascii: "/") else {
                index += 1
                continue
            }
            let tag = text[(index + 2)..<limit].prefix { $0 != UInt8(ascii: ">") }
            let local = tag.split(separator: UInt8(ascii: ":")).last ?? []
            if local.prefix(name.count).elementsEqual(name),
                local.dropFirst(name.count).allSatisfy(isBlank)
            {
                return index
            }
            index = tag.endIndex
        }
        return nil
    }

    /// Blanks text, except its tags.
    private static func blank(_ text: inout [UInt8], _ range: Range<Int>) -> Range<Int>? {
        var changed: Range<Int>?
        var isInTag = false
        for index in range {
            let byte = text[index]
            if byte == UInt8(ascii: "<") { isInTag = true }
            if !isInTag, !isBlank(byte) {
                text[index] = 0x20
                changed = (changed?.lowerBound ?? index)..<index + 1
            }
            if byte == UInt8(ascii: ">") { isInTag = false }
        }
        return changed
    }

    // MARK: - IPTC

    static let photoshop = Array("Photoshop 3.0\0".utf8)

    /// Blanks the IPTC datasets with locations in the content of an APP13 marker.
    ///
    /// Source: IPTC-NAA IIM 4.2, 2:26, 2:27, 2:90, 2:92, 2:95, 2:100, 2:101.
    static func blankDatasets(_ bytes: inout [UInt8]) -> Range<Int>? {
        var changed: Range<Int>?
        var index = 0
        while index + 5 <= bytes.count {
            guard bytes[index] == 0x1C, bytes[index + 1] == 2,
                [26, 27, 90, 92, 95, 100, 101].contains(bytes[index + 2])
            else {
                index += 1
                continue
            }
            let length = Int(bytes[index + 3]) << 8 | Int(bytes[index + 4])
            let value = index + 5..<index + 5 + length
            guard length <= 256, value.upperBound <= bytes.count else {
                index += 1
                continue
            }
            for place in value { bytes[place] = 0x20 }
            if !value.isEmpty {
                changed = (changed?.lowerBound ?? value.lowerBound)..<value.upperBound
            }
            index = value.upperBound
        }
        return changed
    }

    // MARK: - Video

    /// The end of coordinates in a video's format: `+47.3769+008.5417/`; nil if none begin here.
    ///
    /// Source: ISO 6709, annex H; in `©xyz` and `com.apple.quicktime.location.ISO6709` of a motion photo.
    static func endOfCoordinates(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
        var index = start
        for wholeDigits in [2, 3] {
            guard index < bytes.count, isSign(bytes[index]) else { return nil }
            index += 1
            for expected in [wholeDigits, 0] {
                let digits = bytes[min(index, bytes.count)...].prefix(12).prefix(while: isDigit)
                guard expected == 0 ? digits.count >= 2 : digits.count == expected else {
                    return nil
                }
                index = digits.endIndex
                guard expected > 0 else { continue }
                guard index < bytes.count, bytes[index] == UInt8(ascii: ".") else { return nil }
                index += 1
            }
        }
        // The height may follow.
        if index < bytes.count, isSign(bytes[index]) {
            let rest = bytes[(index + 1)...].prefix(16)
            index = rest.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }.endIndex
        }
        return index
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isSign(_ byte: UInt8) -> Bool { byte == 0x2B || byte == 0x2D }
    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func skipBlanks(_ text: [UInt8], _ index: inout Int) {
        while index < text.count, isBlank(text[index]) { index += 1 }
    }
}
