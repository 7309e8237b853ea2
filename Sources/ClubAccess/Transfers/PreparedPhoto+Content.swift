package import ByteClubPictures
package import ClubStore

extension PreparedPhoto {
    /// Whether a file of the club has the bytes of the photo.
    ///
    /// - Parameter isAssumed: What counts where the server has no hash, and only the length is the same.
    @concurrent package func isContent(of file: RemoteFile, isAssumed: Bool) async -> Bool {
        guard file.byteCount == byteCount else { return false }
        guard file.contentHash != nil else { return isAssumed }
        return LocalFileState(at: url)?.isContent(of: file, at: url) == true
    }
}
