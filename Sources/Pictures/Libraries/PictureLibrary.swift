import CPictureLibraries

/// A library that decodes pictures and may be missing on this computer.
public enum PictureLibrary: String, Sendable, CaseIterable {
    case libwebp
    case libheif

    /// Whether it can be loaded. It stays in this process then, so a program whose pictures are decoded apart
    /// asks for its ``facts`` instead.
    package var isInstalled: Bool {
        switch self {
        case .libwebp: byteclub_webp_load()
        case .libheif: byteclub_heif_load()
        }
    }

    /// What is installed of a library.
    package struct Facts: Sendable, Hashable {
        /// `1.15.1`; empty when the library does not say it.
        package var version: String
        /// What it can decode.
        package var formats: Set<FileFormat>

        package init(version: String, formats: Set<FileFormat>) {
            self.version = version
            self.formats = formats
        }
    }

    /// Looks what is installed of it; nil where nothing is. Loads the library for that moment: call from off
    /// the main actor.
    package var facts: Facts? {
        let facts =
            switch self {
            case .libwebp: byteclub_webp_facts()
            case .libheif: byteclub_heif_facts()
            }
        guard facts.is_found else { return nil }
        let version = withUnsafeBytes(of: facts.version) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        var formats: Set<FileFormat> = []
        if facts.decodes_webp { formats.insert(.webp) }
        if facts.decodes_hevc { formats.insert(.heic) }
        if facts.decodes_av1 { formats.insert(.avif) }
        return Facts(version: version, formats: formats)
    }

    /// What it decodes where it is complete.
    package var formats: [FileFormat] {
        switch self {
        case .libwebp: [.webp]
        case .libheif: [.heic, .avif]
        }
    }
}

extension FileFormat {
    /// The library that decodes it; nil for what needs none.
    package var library: PictureLibrary? {
        PictureLibrary.allCases.first { $0.formats.contains(self) }
    }

    /// What a file with a library's picture in it is by its name; nil for others.
    package init?(libraryPictureNamed name: String) {
        let parts = name.lowercased().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last else { return nil }
        switch ending {
        case "webp": self = .webp
        case "heic", "heif": self = .heic
        case "avif": self = .avif
        default: return nil
        }
    }
}
