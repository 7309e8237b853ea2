import CByteClubPictureLibraries

/// An optional library for decoding pictures.
public enum PictureLibrary: String, Sendable, CaseIterable {
    case libwebp
    case libheif
    case libtiff
    case libstb

    /// Whether it can be loaded. It then stays in this process, so a program that decodes in workers uses
    /// ``facts`` instead.
    package var isInstalled: Bool {
        switch self {
        case .libwebp: byteclub_webp_load()
        case .libheif: byteclub_heif_load()
        case .libtiff: byteclub_tiff_load()
        case .libstb: byteclub_stb_load()
        }
    }

    /// Information about an installed library.
    package struct Facts: Sendable, Hashable {
        /// `1.15.1`; empty if the library does not report it.
        package var version: String
        /// The formats it can decode.
        package var formats: Set<FileFormat>

        package init(version: String, formats: Set<FileFormat>) {
            self.version = version
            self.formats = formats
        }
    }

    /// The installed library; nil if there is none. Loads it temporarily: do not call this on the main actor.
    package var facts: Facts? {
        let facts =
            switch self {
            case .libwebp: byteclub_webp_facts()
            case .libheif: byteclub_heif_facts()
            case .libtiff: byteclub_tiff_facts()
            case .libstb: byteclub_stb_facts()
            }
        guard facts.is_found else { return nil }
        let version = withUnsafeBytes(of: facts.version) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        var formats: Set<FileFormat> = []
        if facts.decodes_webp { formats.insert(.webp) }
        if facts.decodes_hevc { formats.insert(.heic) }
        if facts.decodes_av1 { formats.insert(.avif) }
        if facts.decodes_tiff { formats.insert(.tiff) }
        if facts.decodes_simple { formats.formUnion([.gif, .bitmap, .pnm]) }
        return Facts(version: version, formats: formats)
    }

    /// The formats that a complete library decodes.
    package var formats: [FileFormat] {
        switch self {
        case .libwebp: [.webp]
        case .libheif: [.heic, .avif]
        case .libtiff: [.tiff]
        case .libstb: [.gif, .bitmap, .pnm]
        }
    }
}

extension FileFormat {
    /// The library for a format; nil if none is needed.
    package var library: PictureLibrary? {
        PictureLibrary.allCases.first { $0.formats.contains(self) }
    }

    /// The format by a file's name if it requires a library; nil for others.
    package init?(libraryPictureNamed name: String) {
        let parts = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last else { return nil }
        switch ending {
        case "webp": self = .webp
        case "heic", "heif": self = .heic
        case "avif": self = .avif
        case "tif", "tiff": self = .tiff
        case "gif": self = .gif
        case "bmp": self = .bitmap
        case "ppm", "pgm", "pnm": self = .pnm
        default: return nil
        }
    }
}
