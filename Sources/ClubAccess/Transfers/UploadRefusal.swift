internal import Messages
internal import Pictures

extension PictureError {
    /// Why a photo was not uploaded, and what to do next.
    ///
    /// - Parameter name: Of the file on this computer.
    func uploadSentence(about name: String) -> String {
        localized("“\(name)” was not uploaded because \(reason). \(nextStep)")
    }

    private var nextStep: String {
        if code == .notAPicture, let format, let conversion = Self.conversion(of: format) {
            return conversion
        }
        return switch code {
        case .notFound: localized("Check the name, or press u to choose it from the list.")
        case .unreadable: localized("Check who may read the file.")
        case .isDirectory: localized("Open the folder in the picker and choose a photo in it.")
        case .empty, .truncated, .damaged, .tooCostly, .crashed:
            localized("Copy it from the camera again, or choose another.")
        case .changed: localized("Try again when the program that writes it is done.")
        case .noWorker: localized("End some programs and try again.")
        case .notAPicture, .unsupported:
            localized("Save it as an ordinary JPEG first, or choose another.")
        case .tooLarge, .outOfMemory: localized("Make it smaller first, or choose another.")
        case .cannotWrite, .diskFull:
            localized("Make room in the folder for temporary files and try again.")
        case .cancelled: localized("Press u to begin again.")
        }
    }

    /// How pictures of the kinds that phones and browsers write become ones that can be read here.
    private static func conversion(of format: FileFormat) -> String? {
        switch format {
        case .heic, .avif:
            localized(
                "Convert it to a JPEG first: “heif-convert” of the package libheif-examples does that."
            )
        case .webp:
            localized(
                "Convert it to a PNG first: “dwebp” of the package webp does that.")
        default: nil
        }
    }
}
