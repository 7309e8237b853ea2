/// Information about how a photo was taken, for display.
///
/// All values are untrusted: invalid ones are omitted, texts are short and printable. Read in a worker, like
/// the pixels.
public struct PictureDetails: Sendable, Equatable {
    /// The displayed size in pixels.
    public var size: PixelSize
    /// E.g. `RICOH THETA Z1`.
    public var camera: String?
    /// When it was taken, by the camera's clock: `2026-11-23 14:05`.
    public var date: String?
    /// The photographer.
    public var artist: String?
    /// The location in degrees, north and east positive.
    public var location: Location?
    /// Whether it is a full turn, so that its ends meet; nil if unknown.
    public var isFullTurn: Bool?
    /// The direction of its middle, in degrees clockwise from north.
    public var heading: Double?

    public struct Location: Sendable, Equatable {
        public let latitude: Double
        public let longitude: Double

        /// Nil for invalid coordinates.
        public init?(latitude: Double, longitude: Double) {
            guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    public init(size: PixelSize) { self.size = size }

    /// Reads the metadata before a JPEG's first scan.
    ///
    /// - Parameters:
    ///   - exif: The content of the APP1 marker with EXIF.
    ///   - xmp: The content of the one with XMP.
    init(size: PixelSize, exif: [UInt8]?, xmp: [UInt8]?) {
        self.size = size
        if let exif = exif.flatMap({ ExifFacts(marker: $0) }) {
            camera = exif.camera
            date = exif.date
            artist = exif.artist
            location = exif.location
        }
        guard let xmp, let panorama = PanoramaFacts(xmp: xmp) else { return }
        isFullTurn = panorama.isFullTurn(width: size.width)
        heading = panorama.heading
    }
}

extension PictureDetails {
    /// Whether the ends of the picture meet: according to the metadata or, without any, if it is twice as
    /// wide as high, like full panoramas.
    public var wraps: Bool { isFullTurn ?? Self.hasShapeOfFullTurn(size) }

    public static func hasShapeOfFullTurn(_ size: PixelSize) -> Bool {
        abs(Double(size.width) / Double(max(1, size.height)) - 2) < 0.005
    }

    // MARK: - Between two processes, and on disk

    /// A line for each fact.
    public var encoded: String {
        var lines = ["size\t\(size.width)\t\(size.height)"]
        if let camera { lines.append("camera\t\(camera)") }
        if let date { lines.append("date\t\(date)") }
        if let artist { lines.append("artist\t\(artist)") }
        if let location { lines.append("location\t\(location.latitude)\t\(location.longitude)") }
        if let isFullTurn { lines.append("turn\t\(isFullTurn ? 1 : 0)") }
        if let heading { lines.append("heading\t\(heading)") }
        return lines.joined(separator: "\n")
    }

    /// Parses the lines of a process that may be compromised; nil without a size.
    public init?(encoded text: String) {
        var size: PixelSize?
        var result = PictureDetails(size: PixelSize(width: 1, height: 1))
        for line in text.split(separator: "\n").prefix(16) {
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count >= 2 else { continue }
            let value = DetailText.cleaned(fields[1].utf8)
            switch fields[0] {
            case "size":
                guard fields.count == 3, let width = Int(fields[1]), let height = Int(fields[2]),
                    (1...1 << 20).contains(width), (1...1 << 20).contains(height)
                else { return nil }
                size = PixelSize(width: width, height: height)
            case "camera": result.camera = value
            case "date": result.date = value
            case "artist": result.artist = value
            case "location":
                guard fields.count == 3, let latitude = Double(fields[1]),
                    let longitude = Double(fields[2])
                else { continue }
                result.location = Location(latitude: latitude, longitude: longitude)
            case "turn": result.isFullTurn = fields[1] == "1"
            case "heading":
                guard let heading = Double(fields[1]), (-360...360).contains(heading)
                else { continue }
                result.heading = heading
            default: continue
            }
        }
        guard let size else { return nil }
        self = result
        self.size = size
    }
}

/// Texts from pictures.
enum DetailText {
    static let limit = 80

    /// Printable, short, on one line; nil if nothing is left.
    static func cleaned(_ bytes: some Collection<UInt8>) -> String? {
        let text = String(decoding: bytes.prefix(1024).prefix { $0 != 0 }, as: UTF8.self)
        let scalars = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
                .unassigned:
                false
            default: scalar != "\u{FFFD}"
            }
        }
        // By scalars: a single character may consist of any number of them.
        let words = String(String.UnicodeScalarView(scalars.prefix(limit)))
            .split(separator: " ").joined(separator: " ")
        return words.isEmpty ? nil : words
    }
}
