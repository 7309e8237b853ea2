/// Takes out of bytes where a photo was taken, and leaves everything else at its place: what is taken out
/// becomes zeros in EXIF and blanks in XMP.
///
/// Pure; each offset was written by somebody else and is checked.
enum LocationRemoval {
    enum Outcome { case unchanged, removed }

    // MARK: - EXIF

    /// - Parameter tiff: What stands behind `Exif\0\0`.
    static func remove(fromTIFF tiff: inout [UInt8]) -> Outcome {
        guard let structure = TIFF(bytes: tiff[...]) else { return .unchanged }
        var outcome = Outcome.unchanged
        var offset = structure.firstDirectory
        // The picture's directory, the thumbnail's; a longer chain is a circle.
        for _ in 0..<8 {
            guard let current = TIFF(bytes: tiff[...]), offset >= 8,
                current.number(at: offset, byteCount: 2) != nil
            else { break }
            while case .removed = removePointer(from: &tiff, directory: offset) {
                outcome = .removed
            }
            guard let after = TIFF(bytes: tiff[...]) else { break }
            offset = after.directory(at: offset).next
        }
        return outcome
    }

    /// Removes the entry that leads to the place, and what it leads to.
    private static func removePointer(
        from tiff: inout [UInt8], directory: Int
    ) -> Outcome {
        guard let structure = TIFF(bytes: tiff[...]),
            let count = structure.number(at: directory, byteCount: 2), count > 0
        else { return .unchanged }
        let index = (0..<count).first {
            structure.number(at: directory + 2 + $0 * 12, byteCount: 2) == ExifLocation.pointerTag
        }
        guard let index else { return .unchanged }
        let entry = directory + 2 + index * 12
        if let place = structure.number(at: entry + 8, byteCount: 4), place >= 8 {
            for value in structure.entries(at: place, limit: 64).map(\.value) {
                clear(from: value.lowerBound, to: value.upperBound, in: &tiff)
            }
            let entryCount = min(64, structure.number(at: place, byteCount: 2) ?? 0)
            clear(from: place, to: place + 2 + entryCount * 12 + 4, in: &tiff)
        }
        // The pointer to the next directory stands behind the entries, unless the file breaks off.
        let end = directory + 2 + count * 12 + 4
        guard end <= tiff.count else {
            clear(from: entry, to: entry + 12, in: &tiff)
            return .removed
        }
        tiff.replaceSubrange(entry..<end - 12, with: Array(tiff[entry + 12..<end]))
        clear(from: end - 12, to: end, in: &tiff)
        let left = count - 1
        let (low, high) = (UInt8(left & 0xFF), UInt8(left >> 8))
        tiff[directory] = structure.isLittleEndian ? low : high
        tiff[directory + 1] = structure.isLittleEndian ? high : low
        return .removed
    }

    private static func clear(from start: Int, to end: Int, in bytes: inout [UInt8]) {
        for index in max(0, start)..<max(max(0, start), min(end, bytes.count)) { bytes[index] = 0 }
    }

    // MARK: - XMP

    /// Blanks the value of a property named `…:GPS…` that begins at the start of `text`, as an attribute
    /// or an element; the name stays.
    ///
    /// Source: XMP part 2, 3.4 (`exif:GPSLatitude`); DJI's `drone-dji:GpsLatitude`.
    static func remove(fromXMP text: inout [UInt8]) -> Outcome {
        guard text.count > 6, text[0] == UInt8(ascii: ":"),
            text[1...3].map({ $0 | 0x20 }) == Array("gps".utf8)
        else { return .unchanged }
        var index = 4
        while index < text.count, isLetter(text[index]) { index += 1 }
        guard index + 1 < text.count else { return .unchanged }
        let end: UInt8
        switch (text[index], text[index + 1]) {
        case (UInt8(ascii: "="), let quote) where quote == 0x22 || quote == 0x27:
            end = quote
            index += 2
        case (UInt8(ascii: ">"), _):
            end = UInt8(ascii: "<")
            index += 1
        default: return .unchanged
        }
        // Values are short; what has no end is not a property.
        let value = text[index...].prefix(256).prefix { $0 != end }
        guard value.endIndex < text.count, text[value.endIndex] == end, !value.isEmpty,
            !value.allSatisfy({ $0 == 0x20 })
        else { return .unchanged }
        for place in value.indices { text[place] = 0x20 }
        return .removed
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20)
    }
}
