/// Removes the location from EXIF and leaves everything else in place: removed bytes become zeros.
///
/// Deterministic, without I/O; all offsets are untrusted and checked.
enum LocationRemoval {
    enum Outcome { case unchanged, removed }

    /// - Parameter tiff: The bytes after `Exif\0\0`.
    static func remove(fromTIFF tiff: inout [UInt8]) -> Outcome {
        guard let structure = TIFF(bytes: tiff[...]) else { return .unchanged }
        var outcome = Outcome.unchanged
        var offset = structure.firstDirectory
        // The picture's and the thumbnail's directory; a longer chain is circular.
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

    /// Removes the entry that points to the location, and the location.
    private static func removePointer(
        from tiff: inout [UInt8], directory: Int
    ) -> Outcome {
        guard let structure = TIFF(bytes: tiff[...]),
            let count = structure.number(at: directory, byteCount: 2), count > 0
        else { return .unchanged }
        let index = (0..<count).first {
            structure.number(at: directory + 2 + $0 * 12, byteCount: 2) == KeptExif.locationPointer
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
        // The pointer to the next directory follows the entries, unless the file is truncated.
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
}
