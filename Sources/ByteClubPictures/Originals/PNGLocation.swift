import CByteClubZlib

/// Removes the location from a chunk of a PNG without changing its length.
///
/// Source: PNG (third edition), 11.3.3 (`tEXt`, `zTXt`, `iTXt`), 11.3.4.5 (`eXIf`), 5.5 (checksums).
enum PNGLocation {
    /// More than any photo's metadata.
    static let chunkByteLimit = 16 << 20

    static func mayTellPlace(_ type: ArraySlice<UInt8>) -> Bool {
        ["eXIf", "tEXt", "zTXt", "iTXt"].contains { type.elementsEqual($0.utf8) }
    }

    /// - Parameter chunk: Its type and data, which its checksum covers.
    static func remove(from chunk: inout [UInt8]) -> LocationRemoval.Outcome {
        switch String(decoding: chunk.prefix(4), as: UTF8.self) {
        case "eXIf":
            var tiff = Array(chunk[4...])
            guard case .removed = LocationRemoval.remove(fromTIFF: &tiff) else { return .unchanged }
            chunk.replaceSubrange(4..., with: tiff)
            return .removed
        case "tEXt" where !holdsProfile(chunk): return blankProperties(of: &chunk)
        case "iTXt" where !isCompressed(chunk): return blankProperties(of: &chunk)
        case "tEXt" where holdsProfile(chunk), "zTXt" where holdsProfile(chunk),
            "iTXt" where holdsProfile(chunk):
            blank(&chunk)
            return .removed
        default: return .unchanged
        }
    }

    /// The checksum at the end of the chunk.
    static func checksum(of chunk: [UInt8]) -> [UInt8] {
        let sum = crc32(0, chunk, UInt32(chunk.count))
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
    }

    /// A big-endian number.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int { ISOBox.number(bytes) }

    private static func blankProperties(of chunk: inout [UInt8]) -> LocationRemoval.Outcome {
        var outcome = LocationRemoval.Outcome.unchanged
        for index in 4..<max(4, chunk.count) where chunk[index] == UInt8(ascii: ":") {
            guard chunk.withUnsafeBufferPointer({ LocationText.isProperty($0, at: index) }),
                LocationText.blankProperty(&chunk, at: index) != nil
            else { continue }
            outcome = .removed
        }
        return outcome
    }

    /// Whether it is XMP, or the EXIF, IPTC or XMP that ImageMagick and others write in hexadecimal.
    private static func holdsProfile(_ chunk: [UInt8]) -> Bool {
        let keyword = String(decoding: chunk.dropFirst(4).prefix { $0 != 0 }, as: UTF8.self)
        return keyword == "XML:com.adobe.xmp" && chunk.prefix(4) != Array("tEXt".utf8)[...]
            || keyword.hasPrefix("Raw profile type ") && !keyword.hasSuffix(" icc")
    }

    private static func isCompressed(_ chunk: [UInt8]) -> Bool {
        guard let end = chunk.dropFirst(4).firstIndex(of: 0), end + 1 < chunk.count else {
            return false
        }
        return chunk[end + 1] != 0
    }

    /// Compressed data cannot be changed without changing its length: it becomes a blank comment.
    private static func blank(_ chunk: inout [UInt8]) {
        let text = Array("tEXtComment\0".utf8)
        chunk =
            text.prefix(chunk.count)
            + Array(repeating: UInt8(ascii: " "), count: max(0, chunk.count - text.count))
    }
}
