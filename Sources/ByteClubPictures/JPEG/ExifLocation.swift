/// The location in a photo's EXIF, and nothing else.
///
/// Source: EXIF 2.32 (CIPA DC-008), 4.6.6: the GPS directory, to which tag 0x8825 points.
struct ExifLocation {
    /// The content of an APP1 marker.
    let marker: [UInt8]

    static let pointerTag = 0x8825
    /// There are 32 location tags; a few of them are long texts.
    private static let entryLimit = 64
    private static let byteLimit = 8 << 10

    /// Extracts the location from an APP1 marker's content; nil if there is none.
    init?(marker: [UInt8]) {
        guard marker.starts(with: Exif.signature),
            let tiff = TIFF(bytes: marker.dropFirst(Exif.signature.count)),
            let start = tiff.directory(at: tiff.firstDirectory).entries[Self.pointerTag]
        else { return nil }
        let entries = tiff.entries(at: start, limit: Self.entryLimit)
        guard !entries.isEmpty, entries.reduce(0, { $0 + $1.value.count }) <= Self.byteLimit else {
            return nil
        }
        func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
            let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return tiff.isLittleEndian ? bytes : bytes.reversed()
        }
        // A directory that points to the GPS directory, followed by values that do not fit into entries.
        let directory = 8 + 2 + 12 + 4
        let rest = directory + 2 + entries.count * 12 + 4
        var (body, values): ([UInt8], [UInt8]) = ([], [])
        for entry in entries {
            body += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
            let value = tiff.bytes(entry.value)
            if value.count <= 4 {
                body += value + [UInt8](repeating: 0, count: 4 - value.count)
            } else {
                body += number(rest + values.count, 4)
                values += value
                // Values begin at even offsets.
                if values.count % 2 == 1 { values.append(0) }
            }
        }
        var marker = Exif.signature + (tiff.isLittleEndian ? [0x49, 0x49] : [0x4D, 0x4D])
        marker += number(42, 2) + number(8, 4)
        marker += number(1, 2)
        marker += number(Self.pointerTag, 2) + number(4, 2) + number(1, 4) + number(directory, 4)
        marker += number(0, 4)
        marker += number(entries.count, 2) + body + number(0, 4) + values
        self.marker = marker
    }
}
