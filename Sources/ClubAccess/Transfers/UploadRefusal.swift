internal import Pictures

extension PictureError {
    /// Why a photo was not uploaded, and what to do next.
    ///
    /// - Parameter name: Of the file on this computer.
    func uploadSentence(about name: String) -> String {
        "“\(name)” was not uploaded because \(reason). \(nextStep)"
    }

    private var nextStep: String {
        if code == .notAPicture, let format, let conversion = Self.conversion(of: format) {
            return conversion
        }
        return switch code {
        case .notFound: "Check the name, or press u to choose it from the list."
        case .unreadable: "Check who may read the file."
        case .isDirectory: "Open the folder in the picker and choose a photo in it."
        case .empty, .truncated, .damaged, .tooCostly, .crashed:
            "Copy it from the camera again, or choose another."
        case .changed: "Try again when the program that writes it is done."
        case .noWorker: "End some programs and try again."
        case .notAPicture, .unsupported: "Save it as an ordinary JPEG first, or choose another."
        case .tooLarge, .outOfMemory: "Make it smaller first, or choose another."
        case .cannotWrite, .diskFull: "Make room in the folder for temporary files and try again."
        case .cancelled: "Press u to begin again."
        }
    }

    /// How pictures of the kinds that phones and browsers write become ones that can be read here.
    private static func conversion(of format: FileFormat) -> String? {
        switch format {
        case .heic, .avif:
            "Convert it to a JPEG first: “heif-convert” of the package libheif-examples does that."
        case .webp: "Convert it to a PNG first: “dwebp” of the package webp does that."
        default: nil
        }
    }
}
