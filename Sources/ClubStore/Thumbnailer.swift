public import FoundationEssentials

/// Makes thumbnails out of pictures for stores whose server makes none.
///
/// Both methods return a JPEG that fits into the size, and throw `CancellationError` or an error that says why
/// there is no thumbnail; it becomes the `underlying` one of the store's `.noThumbnail`.
public protocol Thumbnailer: Sendable {
    /// - Parameter picture: A whole file.
    func thumbnail(of picture: Data, size: RemoteThumbnailSize) async throws -> Data

    /// Makes one of the small picture that a camera has put into the large one.
    ///
    /// - Parameter beginning: The first bytes of a file.
    func embeddedThumbnail(in beginning: Data, size: RemoteThumbnailSize) async throws -> Data
}
