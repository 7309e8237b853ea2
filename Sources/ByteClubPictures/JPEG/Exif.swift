import FoundationEssentials

/// The facts that are used from a photo's EXIF block.
///
/// All offsets are untrusted and checked; invalid values count as missing.
///
/// Source: EXIF 2.32 (CIPA DC-008), 4.5 to 4.6; TIFF 6.0, section 2.
struct Exif {
    private(set) var orientation: Orientation?
    private(set) var hasLocation = false
    private(set) var thumbnail: Data?

    /// The beginning of an APP1 marker's content if it is EXIF.
    static let signature = Array("Exif\0\0".utf8)

    /// Reads an APP1 marker's content; nil if it is not EXIF.
    init?(marker: [UInt8]) {
        guard marker.starts(with: Self.signature) else { return nil }
        guard let tiff = TIFF(bytes: marker.dropFirst(Self.signature.count)) else { return nil }

        let main = tiff.directory(at: tiff.firstDirectory)
        orientation = main.entries[0x0112].flatMap { Orientation(rawValue: $0) }
        hasLocation = main.entries[0x8825] != nil

        let second = tiff.directory(at: main.next)
        if let offset = second.entries[0x0201], let count = second.entries[0x0202] {
            thumbnail = tiff.data(at: offset, count: count)
        }
    }
}
