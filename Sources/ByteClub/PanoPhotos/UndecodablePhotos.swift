internal import ClubStore
internal import Pictures

/// The photos of a club that cannot be decoded, until another revision of them is there: on some clubs each
/// attempt would fetch all of them again.
@MainActor final class UndecodablePhotos {
    private struct Key: Hashable {
        var path: RemotePath
        var revision: Revision
    }

    private struct Failure {
        var error: PictureError
        /// The smallest width that was asked for: what fails for a small picture fails for a large one.
        var width: Int
    }

    private var failures: [Key: Failure] = [:]

    /// More are hardly in sight in one run.
    private static let limit = 2_000

    /// Why a photo cannot be decoded at this size; nil when that was not tried.
    func error(of path: RemotePath, _ revision: Revision, _ size: ThumbnailSize) -> PictureError? {
        guard let failure = failures[Key(path: path, revision: revision)],
            failure.width <= size.width
        else { return nil }
        return failure.error
    }

    /// Notes a failure, if the photo itself is to blame.
    func note(
        _ error: PictureError?, of path: RemotePath, _ revision: Revision, _ size: ThumbnailSize
    ) {
        guard let error, error.isOfThePicture else { return }
        if failures.count >= Self.limit { failures = [:] }
        let key = Key(path: path, revision: revision)
        let width = min(size.width, failures[key]?.width ?? .max)
        failures[key] = Failure(error: error, width: width)
    }
}
