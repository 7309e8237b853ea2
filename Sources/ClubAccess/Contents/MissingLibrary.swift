internal import ByteClubMessages
package import ByteClubPictures

/// Messages about photos whose library may be missing on this computer.
package enum MissingLibrary {
    /// The library that is missing to decode a photo; nil if that is not the reason.
    ///
    /// - Parameter name: The photo's name in the club: its bytes need not be available.
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

    /// Why the photo is not shown, and what to install.
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
