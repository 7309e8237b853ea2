internal import Messages
package import Pictures

/// What is said of a photo whose library may be missing on this computer.
package enum MissingLibrary {
    /// Which library a photo needs that cannot decode it here; nil where that is not why it is not shown.
    ///
    /// - Parameter name: Of the photo in the club: no byte of it may be here.
    @concurrent package static func format(ofPhotoNamed name: String) async -> FileFormat? {
        guard let format = FileFormat(libraryPictureNamed: name), let library = format.library,
            library.facts?.formats.contains(format) != true
        else { return nil }
        return format
    }

    /// In a few words: `needs libheif`.
    package static func words(for format: FileFormat) -> String {
        localized("needs \(format.library?.rawValue ?? "")")
    }

    /// Why it is not shown, and what to install.
    package static func sentence(for format: FileFormat) -> String {
        switch format {
        case .heic:
            localized(
                "It is a HEIC photo, and the library that reads it is not installed. Install libheif with libde265 (Debian: libheif1, from 13 on libheif-plugin-libde265 too) and start Byte Club again."
            )
        case .avif:
            localized(
                "It is an AVIF picture, and the library that reads it is not installed. Install libheif with dav1d (Debian: libheif1, from 13 on libheif-plugin-dav1d too) and start Byte Club again."
            )
        default:
            localized(
                "It is a WebP picture, and the library that reads it is not installed. Install libwebp (Debian: libwebp7) and start Byte Club again."
            )
        }
    }
}
