public import FoundationEssentials

/// What can be read of a club: of the remote folder itself, or of what is kept of it.
///
/// Part of ``RemoteStore``, whose errors these calls throw.
public protocol RemoteReading: Sendable {
    /// All entries of one folder, and a cursor for later changes.
    ///
    /// - Parameter recursive: Whether to include subfolders at every depth, in the listing
    ///   and in the cursor.
    /// - Throws: `.notFound`; `.wrongKind` when it is a file.
    @concurrent func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(StoreError) -> Listing

    /// The metadata of one file.
    ///
    /// - Throws: `.notFound`; `.wrongKind` when it is a folder.
    @concurrent func metadata(of path: RemotePath) async throws(StoreError) -> RemoteFile

    /// Fetches a small file, with the metadata of exactly the revision its bytes belong
    /// to.
    ///
    /// - Throws: `.notFound`; `.wrongKind` for a folder; `.tooLarge` above ``fetchLimit``;
    ///   `.damaged` when the bytes do not match the store's hash.
    @concurrent func fetch(
        _ path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data)
}
