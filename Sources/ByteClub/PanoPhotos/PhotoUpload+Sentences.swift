internal import ClubAccess
internal import ClubStore
internal import Pictures

extension PhotoUpload.Failure {
    /// What to tell the person when this photo could not be uploaded.
    @MainActor func sentence(
        about name: String, in club: Club
    ) -> (title: String, text: String) {
        switch self {
        case .picture(let error):
            (
                "Not uploaded",
                "“\(name)” was not uploaded because \(error.reason). \(error.nextStep)"
            )
        case .store(let error):
            { words in (words.title, "“\(name)” was not uploaded. " + words.text) }(
                club.sentence(for: error))
        }
    }
}

extension PictureError {
    fileprivate var nextStep: String {
        switch code {
        case .notFound: "Check the name, or press u to choose it from the list."
        case .unreadable: "Check who may read the file."
        case .isDirectory: "Open the folder in the picker and choose a photo in it."
        case .empty, .truncated, .damaged, .tooCostly, .crashed:
            "Copy it from the camera again, or choose another."
        case .noWorker: "End some programs and try again."
        case .notAPicture, .unsupported: "Save it as an ordinary JPEG first, or choose another."
        case .tooLarge, .outOfMemory: "Make it smaller first, or choose another."
        case .cannotWrite, .diskFull: "Make room in the folder for temporary files and try again."
        case .cancelled: "Press u to begin again."
        }
    }
}
