/// Google's panorama metadata.
///
/// Source: Photo Sphere XMP Metadata, namespace `http://ns.google.com/photos/1.0/panorama/`; XMP part 3, 1.1.3.
struct PanoramaFacts {
    private let projection: String?
    private let fullWidth: Int?
    private let croppedWidth: Int?
    let heading: Double?
    /// The properties that describe the projection, in the order of ``names``.
    private let properties: [(name: String, value: String)]

    /// The properties that are kept when a picture is encoded again: how it is to be looked at, nothing about where and
    /// by whom it was taken.
    private static let names = [
        "ProjectionType", "UsePanoramaViewer", "FullPanoWidthPixels", "FullPanoHeightPixels",
        "CroppedAreaImageWidthPixels", "CroppedAreaImageHeightPixels", "CroppedAreaLeftPixels",
        "CroppedAreaTopPixels", "PoseHeadingDegrees", "PosePitchDegrees", "PoseRollDegrees",
        "InitialViewHeadingDegrees", "InitialViewPitchDegrees", "InitialViewRollDegrees",
        "InitialHorizontalFOVDegrees",
    ]

    /// The beginning of an APP1 marker's content if it is XMP.
    static let signature = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    /// Nil without panorama metadata. Searched instead of parsed, because only a few numbers are needed.
    init?(xmp: [UInt8]) {
        let bytes = xmp.prefix(1 << 16)
        guard let start = Self.find(Array("GPano:".utf8), in: bytes) else { return nil }
        let rest = bytes[start...]
        let found = Self.names.compactMap { name in
            Self.value(name, in: rest).map { (name: name, value: $0) }
        }
        func value(_ name: String) -> String? { found.first { $0.name == name }?.value }
        properties = found
        projection = value("ProjectionType")?.lowercased()
        fullWidth = value("FullPanoWidthPixels").flatMap { Int($0) }
        croppedWidth = value("CroppedAreaImageWidthPixels").flatMap { Int($0) }
        let degrees = value("PoseHeadingDegrees").flatMap { Double($0) }
        heading = degrees.flatMap { (0...360).contains($0) ? $0 : nil }
    }

    /// Whether a picture of this width is a full turn; nil if unknown.
    func isFullTurn(width: Int) -> Bool? {
        if let projection, !["equirectangular", "cylindrical"].contains(projection) {
            return false
        }
        guard let fullWidth, fullWidth > 0 else { return nil }
        return fullWidth == croppedWidth ?? width
    }

    /// The content of an APP1 marker with these properties and nothing else; nil if there are none.
    var marker: [UInt8]? {
        guard !properties.isEmpty else { return nil }
        // Their values have only letters, digits, full stops and hyphens.
        let attributes = properties.map { " GPano:\($0.name)=\"\($0.value)\"" }.joined()
        let packet =
            "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
            + "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
            + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
            + "<rdf:Description rdf:about=\"\""
            + " xmlns:GPano=\"http://ns.google.com/photos/1.0/panorama/\"\(attributes)/>"
            + "</rdf:RDF></x:xmpmeta><?xpacket end=\"r\"?>"
        return Self.signature + Array(packet.utf8)
    }

    /// As an attribute, `GPano:name="value"`, or an element, `<GPano:name>value<`.
    private static func value(_ name: String, in bytes: ArraySlice<UInt8>) -> String? {
        let key = Array("GPano:\(name)".utf8)
        guard let start = find(key, in: bytes) else { return nil }
        var rest = bytes[(start + key.count)...].drop { $0 == 0x20 }
        switch rest.popFirst() {
        case UInt8(ascii: ">"): break
        case UInt8(ascii: "="):
            rest = rest.drop { $0 == 0x20 }
            let quote = rest.popFirst()
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        default: return nil
        }
        let value = rest.prefix(32).prefix { byte in
            (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        }
        return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
    }

    private static func find(_ needle: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = needle.first else { return nil }
        var rest = bytes
        while let start = rest.firstIndex(of: first) {
            if bytes[start...].starts(with: needle) { return start }
            rest = bytes[(start + 1)...]
        }
        return nil
    }
}
