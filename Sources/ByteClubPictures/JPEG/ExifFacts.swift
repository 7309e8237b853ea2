/// EXIF's information about camera, time, author and location.
///
/// Source: EXIF 2.32 (CIPA DC-008), 4.6.4 to 4.6.6.
struct ExifFacts {
    private(set) var camera: String?
    private(set) var date: String?
    private(set) var artist: String?
    private(set) var location: PictureDetails.Location?

    /// Reads an APP1 marker's content; nil when it is not EXIF.
    init?(marker: [UInt8]) {
        guard marker.starts(with: Exif.signature),
            let tiff = TIFF(bytes: marker.dropFirst(Exif.signature.count))
        else { return nil }
        let main = tiff.fields(at: tiff.firstDirectory)
        func text(_ tag: Int, _ fields: [Int: TIFF.Field]) -> String? {
            fields[tag].flatMap { tiff.text($0) }.flatMap { DetailText.cleaned($0) }
        }
        camera = Self.camera(maker: text(0x010F, main), model: text(0x0110, main))
        artist = text(0x013B, main)
        let photo = main[0x8769].flatMap { tiff.pointer($0) }.map { tiff.fields(at: $0) } ?? [:]
        date = (text(0x9003, photo) ?? text(0x0132, main)).flatMap(Self.date)
        if let place = main[0x8825].flatMap({ tiff.pointer($0) }) {
            let fields = tiff.fields(at: place)
            if let latitude = Self.degrees(fields[2], text(1, fields), "S", tiff),
                let longitude = Self.degrees(fields[4], text(3, fields), "W", tiff)
            {
                location = PictureDetails.Location(latitude: latitude, longitude: longitude)
            }
        }
    }

    /// Models mostly begin with the maker's name.
    private static func camera(maker: String?, model: String?) -> String? {
        guard let maker, let model else { return model ?? maker }
        let first = maker.split(separator: " ").first.map(String.init) ?? maker
        return model.lowercased().hasPrefix(first.lowercased()) ? model : "\(maker) \(model)"
    }

    /// `2026:11:23 14:05:09` as `2026-11-23 14:05`.
    private static func date(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 16 else { return nil }
        let separators = [4: ":", 7: ":", 10: " ", 13: ":"]
        for index in 0..<16 {
            if let separator = separators[index] {
                guard bytes[index] == separator.utf8.first else { return nil }
            } else if !(0x30...0x39).contains(bytes[index]) {
                return nil
            }
        }
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        guard let year = Int(part(0..<4)), year > 0 else { return nil }
        return "\(part(0..<4))-\(part(5..<7))-\(part(8..<10)) \(part(11..<16))"
    }

    /// Degrees, minutes and seconds; negative for south and west.
    private static func degrees(
        _ field: TIFF.Field?, _ side: String?, _ negative: String, _ tiff: TIFF
    ) -> Double? {
        guard let parts = field.flatMap({ tiff.ratios($0) }), parts.count == 3, let side else {
            return nil
        }
        let value = parts[0] + parts[1] / 60 + parts[2] / 3600
        return side.uppercased() == negative ? -value : value
    }
}

extension TIFF {
    /// An entry of a directory.
    struct Field {
        let type: Int
        let count: Int
        /// The offset of its value.
        let position: Int
    }

    /// More entries than any camera writes are ignored.
    private static let fieldLimit = 512

    /// The entries of a directory by tag; the first of each counts.
    func fields(at offset: Int) -> [Int: Field] {
        guard offset >= 8, let count = number(at: offset, byteCount: 2) else { return [:] }
        let sizes = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8, 13: 4]
        var fields: [Int: Field] = [:]
        for index in 0..<min(count, Self.fieldLimit) {
            let entry = offset + 2 + index * 12
            guard let tag = number(at: entry, byteCount: 2),
                let type = number(at: entry + 2, byteCount: 2),
                let length = number(at: entry + 4, byteCount: 4)
            else { break }
            guard let size = sizes[type], length > 0, length <= 1 << 16, fields[tag] == nil else {
                continue
            }
            let isInside = length * size <= 4
            guard let position = isInside ? entry + 8 : number(at: entry + 8, byteCount: 4) else {
                continue
            }
            fields[tag] = Field(type: type, count: length, position: position)
        }
        return fields
    }

    func text(_ field: Field) -> [UInt8]? {
        guard field.type == 2 else { return nil }
        return bytes(at: field.position, count: min(field.count, 1024))
    }

    func pointer(_ field: Field) -> Int? {
        guard field.type == 4 || field.type == 13, field.count == 1 else { return nil }
        return number(at: field.position, byteCount: 4)
    }

    /// Unsigned fractions; nil if one of them divides by zero.
    func ratios(_ field: Field) -> [Double]? {
        guard field.type == 5, field.count <= 8 else { return nil }
        var result: [Double] = []
        for index in 0..<field.count {
            guard let numerator = number(at: field.position + index * 8, byteCount: 4),
                let denominator = number(at: field.position + index * 8 + 4, byteCount: 4),
                denominator > 0
            else { return nil }
            result.append(Double(numerator) / Double(denominator))
        }
        return result
    }
}
