internal import ByteClubMessages
internal import ByteClubPictures

extension PictureError {
    /// Why a photo was not uploaded, and what to do next.
    ///
    /// - Parameter name: The name of the file on this computer.
    func uploadSentence(about name: String) -> String {
        localized("“\(name)” was not uploaded because \(reason). \(nextStep)")
    }

    /// The same without the name, the reason first.
    var shortUploadSentence: String {
        localized("\(reason.prefix(1).uppercased() + reason.dropFirst()). \(nextStep)")
    }

    private var nextStep: String {
        if code == .noLibrary, let format, let library = Self.library(for: format) {
            return library
        }
        return switch code {
        case .notFound: localized("Check the name, or press u to choose it from the list.")
        case .unreadable: localized("Check who may read the file.")
        case .isDirectory: localized("Open the folder in the picker and choose a photo in it.")
        case .empty, .truncated, .damaged, .tooCostly, .crashed:
            localized("Copy it from the camera again, or choose another.")
        case .changed: localized("Try again when the program that writes it is done.")
        case .noWorker: localized("End some programs and try again.")
        case .notAPicture, .unsupported, .noLibrary:
            localized("Save it as an ordinary JPEG first, or choose another.")
        case .tooLargeToReencode:
            localized(
                "Send it as it is, with o in the picker or --original in the shell, or make it smaller first."
            )
        case .onlyAsJPEG:
            localized("Send it as a JPEG: without o in the picker or --original in the shell.")
        case .tooLarge, .outOfMemory: localized("Make it smaller first, or choose another.")
        case .cannotWrite, .diskFull:
            localized("Make room in the folder for temporary files and try again.")
        case .cancelled: localized("Press u to begin again.")
        }
    }

    /// What to install for pictures from phones and browsers.
    private static func library(for format: FileFormat) -> String? {
        switch format {
        case .heic:
            localized(
                "Install libheif with its decoder libde265 (Debian: libheif1) and try again, or convert it to a JPEG first."
            )
        case .avif:
            localized(
                "Install libheif with a decoder for AV1 (Debian: libheif1) and try again, or convert it to a JPEG first."
            )
        case .webp:
            localized(
                "Install libwebp (Debian: libwebp7) and try again, or convert it to a JPEG first.")
        case .tiff:
            localized(
                "Install libtiff (Debian: libtiff6) and try again, or convert it to a JPEG first.")
        case .gif, .bitmap, .pnm:
            localized(
                "Install stb_image (Debian: libstb0) and try again, or convert it to a JPEG first.")
        default: nil
        }
    }
}
