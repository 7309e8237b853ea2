internal import ClubStore
internal import ByteClubPictures

/// The photos of a club that cannot be decoded, until their revision changes: in some clubs each attempt
/// would fetch the whole photo again.
@MainActor final class UndecodablePhotos {
    private struct Key: Hashable {
        var path: RemotePath
        var revision: Revision
    }

    private struct Failure {
        var error: PictureError
        /// The smallest requested width: if a small picture fails, a larger one does, too.
        var width: Int
    }

    private var failures: [Key: Failure] = [:]

    /// More are rarely visible in one run.
    private static let limit = 2_000

    /// Why a photo cannot be decoded at this size; nil if it was not tried.
    func error(of path: RemotePath, _ revision: Revision, _ size: RemoteThumbnailSize)
        -> PictureError?
    {
        guard let failure = failures[Key(path: path, revision: revision)],
            failure.width <= size.width
        else { return nil }
        return failure.error
    }

    /// Notes a failure if the photo itself is the cause.
    func note(
        _ error: PictureError?, of path: RemotePath, _ revision: Revision,
        _ size: RemoteThumbnailSize
    ) {
        guard let error, error.isOfThePicture else { return }
        if failures.count >= Self.limit { failures = [:] }
        let key = Key(path: path, revision: revision)
        let width = min(size.width, failures[key]?.width ?? .max)
        failures[key] = Failure(error: error, width: width)
    }
}
