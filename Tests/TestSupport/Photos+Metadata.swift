public import Foundation

/// The EXIF data of a test photo, written byte by byte.
public struct PhotoMetadata: Sendable {
    public var orientation: Int?
    public var isBigEndian = false
    /// Adds a location: 47° 3′ 2″ north, 8° 18′ 0″ east.
    public var hasLocation = false
    /// The camera's manufacturer.
    public var maker: String?
    /// The embedded JPEG thumbnail.
    public var thumbnail: Data?

    public init(
        orientation: Int? = nil, isBigEndian: Bool = false, hasLocation: Bool = false,
        maker: String? = nil, thumbnail: Data? = nil
    ) {
        self.orientation = orientation
        self.isBigEndian = isBigEndian
        self.hasLocation = hasLocation
        self.maker = maker
        self.thumbnail = thumbnail
    }

    /// The content of the APP1 marker, or nil without metadata.
    ///
    /// Source: EXIF 2.32 (CIPA DC-008), 4.5.2; TIFF 6.0, section 2.
    var marker: [UInt8]? {
        guard orientation != nil || hasLocation || maker != nil || thumbnail != nil else {
            return nil
        }
        var main: [Entry] = []
        if let maker { main.append(Entry(tag: 0x010F, text: maker)) }
        if let orientation { main.append(Entry(tag: 0x0112, short: orientation)) }
        if hasLocation { main.append(Entry(tag: 0x8825, long: 0)) }
        var second: [Entry] = []
        if let thumbnail {
            second = [Entry(tag: 0x0201, long: 0), Entry(tag: 0x0202, long: thumbnail.count)]
        }
        let place = hasLocation ? Self.place : []

        // Directories first, then what does not fit into their entries.
        let mainStart = 8
        let placeStart = mainStart + Self.byteCount(of: main)
        let secondStart = placeStart + Self.byteCount(of: place)
        let restStart = secondStart + Self.byteCount(of: second)
        if let index = main.firstIndex(where: { $0.tag == 0x8825 }) {
            main[index] = Entry(tag: 0x8825, long: placeStart)
        }

        var rest: [UInt8] = []
        var body: [UInt8] = []
        func append(_ directory: [Entry], next: Int) {
            guard !directory.isEmpty else { return }
            body += number(directory.count, 2)
            for entry in directory {
                body += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
                let value = entry.units.flatMap { number($0, entry.unitByteCount) }
                if value.count <= 4 {
                    body += value + Array(repeating: 0, count: 4 - value.count)
                } else {
                    body += number(restStart + rest.count, 4)
                    rest += value
                }
            }
            body += number(next, 4)
        }
        append(main, next: second.isEmpty ? 0 : secondStart)
        append(place, next: 0)
        if let thumbnail {
            second[0] = Entry(tag: 0x0201, long: restStart + rest.count)
            append(second, next: 0)
            rest += thumbnail
        }
        let head: [UInt8] = isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        return Array("Exif\0\0".utf8) + head + number(42, 2) + number(8, 4) + body + rest
    }

    private static let place = [
        Entry(tag: 1, text: "N"), Entry(tag: 2, rationals: [47, 1, 3, 1, 2, 1]),
        Entry(tag: 3, text: "E"), Entry(tag: 4, rationals: [8, 1, 18, 1, 0, 1]),
    ]

    private static func byteCount(of directory: [Entry]) -> Int {
        directory.isEmpty ? 0 : 2 + directory.count * 12 + 4
    }

    private func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    private struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        let units: [Int]
        let unitByteCount: Int

        init(tag: Int, short: Int) {
            (self.tag, type, count, units, unitByteCount) = (tag, 3, 1, [short], 2)
        }

        init(tag: Int, long: Int) {
            (self.tag, type, count, units, unitByteCount) = (tag, 4, 1, [long], 4)
        }

        init(tag: Int, text: String) {
            let bytes = text.utf8.map { Int($0) } + [0]
            (self.tag, type, count, units, unitByteCount) = (tag, 2, bytes.count, bytes, 1)
        }

        init(tag: Int, rationals: [Int]) {
            (self.tag, type, count) = (tag, 5, rationals.count / 2)
            (units, unitByteCount) = (rationals, 4)
        }
    }
}
