/// What is kept of a photo's EXIF when it is encoded again: when, with what and by whom it was taken, and
/// where if requested. Nothing else: no serial numbers, no maker notes, no thumbnail.
///
/// Source: EXIF 2.32 (CIPA DC-008), 4.6.4 to 4.6.6; TIFF 6.0, section 2.
struct KeptExif {
    /// The content of an APP1 marker.
    let marker: [UInt8]

    static let locationPointer = 0x8825
    private static let photoPointer = 0x8769
    /// Make, Model, DateTime, Artist, Copyright.
    private static let mainTags: Set = [0x010F, 0x0110, 0x0132, 0x013B, 0x8298]
    /// DateTimeOriginal, OffsetTimeOriginal.
    private static let photoTags: Set = [0x9003, 0x9011]
    private static let textLimit = 1 << 10
    /// There are 32 location tags; a few of them are long texts.
    private static let locationEntryLimit = 64
    private static let locationByteLimit = 8 << 10

    /// Extracts it from an APP1 marker's content; nil if there is nothing to keep.
    init?(marker: [UInt8], keepsLocation: Bool) {
        guard marker.starts(with: Exif.signature),
            let tiff = TIFF(bytes: marker.dropFirst(Exif.signature.count))
        else { return nil }
        let first = tiff.firstDirectory
        let pointers = tiff.directory(at: first).entries
        let main = Self.texts(Self.mainTags, at: first, of: tiff)
        let photo = pointers[Self.photoPointer].map { Self.texts(Self.photoTags, at: $0, of: tiff) }
        let location =
            keepsLocation
            ? pointers[Self.locationPointer].map { Self.location(at: $0, of: tiff) } : nil
        guard main.count + (photo ?? []).count + (location ?? []).count > 0 else { return nil }

        var writer = TIFFWriter(isLittleEndian: tiff.isLittleEndian)
        let directories = [
            (Self.photoPointer, photo ?? []), (Self.locationPointer, location ?? []),
        ]
        writer.write(main, directories: directories.filter { !$0.1.isEmpty })
        self.marker = Exif.signature + writer.bytes
    }

    /// The texts of a directory that have one of the tags, sorted by it.
    private static func texts(
        _ tags: Set<Int>, at offset: Int, of tiff: TIFF
    ) -> [TIFFWriter.Entry] {
        let found = tiff.entries(at: offset).filter {
            tags.contains($0.tag) && $0.type == 2 && $0.value.count <= textLimit
        }
        // The first of each counts, as for who reads it.
        return Dictionary(found.map { ($0.tag, $0) }) { first, _ in first }.values
            .sorted { $0.tag < $1.tag }.map { TIFFWriter.Entry($0, of: tiff) }
    }

    private static func location(at offset: Int, of tiff: TIFF) -> [TIFFWriter.Entry] {
        let entries = tiff.entries(at: offset, limit: locationEntryLimit)
        guard entries.reduce(0, { $0 + $1.value.count }) <= locationByteLimit else { return [] }
        return entries.map { TIFFWriter.Entry($0, of: tiff) }
    }
}
