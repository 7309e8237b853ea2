import CPictureLibraries

/// A library that decodes pictures and may be missing on this computer.
public enum PictureLibrary: Sendable, CaseIterable {
    case libwebp
    case libheif

    /// Whether it can be loaded. It stays in this process then, so a program whose pictures are decoded apart
    /// does not ask.
    package var isInstalled: Bool {
        switch self {
        case .libwebp: byteclub_webp_load()
        case .libheif: byteclub_heif_load()
        }
    }
}
