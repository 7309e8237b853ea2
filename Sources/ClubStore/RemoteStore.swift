public import FoundationEssentials

/// A club's folder somewhere else: what every adapter promises.
///
/// Errors are ``StoreError`` throughout, and each code means the same everywhere:
///
/// - Every call may throw `.offline`, `.untrusted`, `.timedOut`, `.unauthorized`, `.forbidden`,
///   `.refused`, `.locked`, `.rateLimited`, `.serverUnavailable`, `.serverError`, `.badAnswer` and `.badRequest`;
///   and `.cancelled` when its task is cancelled. Waiting and repeating, where they help,
///   have been done by then, in bounds: a caller need not repeat anything by itself.
/// - What else a call throws is listed with it. A call that throws has changed nothing,
///   except that after `.offline`, `.timedOut` and `.cancelled` a write may have arrived
///   although its answer did not.
/// - Calls that put something at a path make the folders above it.
/// - The root is a folder that can be neither removed nor moved (`.forbidden`), nor made or
///   replaced (`.conflict`).
///
/// The async calls leave the caller's actor: parsing and hashing never run on the main actor.
public protocol RemoteStore: Sendable {
    /// By how many seconds this computer's clock is ahead of the server's, to within a second or two.
    ///
    /// From the server's last answer; nil before there is one, and where it does not tell the time.
    var clockLead: TimeInterval? { get }

    /// Who is signed in, and how much room there is.
    @concurrent func account() async throws(StoreError) -> Account

    /// All entries of one folder, and a cursor to follow it from.
    ///
    /// - Parameter recursive: Whether to list (and by the cursor, follow) the folders in it
    ///   too, all the way down.
    /// - Throws: `.notFound`; `.wrongKind` when it is a file.
    @concurrent func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(StoreError) -> Listing

    /// What has happened in a listed folder since the cursor was given out. Often nothing.
    ///
    /// - Throws: `.cursorReset` when the cursor is too old, unknown or its folder is gone:
    ///   list anew.
    @concurrent func changes(since cursor: Cursor) async throws(StoreError) -> Listing

    /// Waits until something may have changed.
    ///
    /// - Parameter longest: How long to wait, at most.
    /// - Returns: True when ``changes(since:)`` is worth asking; it may still have nothing
    ///   to tell. False when the time is up.
    /// - Throws: `.cursorReset` as ``changes(since:)`` does. Never `.timedOut`.
    @concurrent func waitForChanges(
        after cursor: Cursor, atMost longest: Duration
    ) async throws(StoreError) -> Bool

    /// What is known of one file.
    ///
    /// - Throws: `.notFound`; `.wrongKind` when it is a folder.
    @concurrent func metadata(of path: RemotePath) async throws(StoreError) -> RemoteFile

    /// A small file whole, with the facts of exactly the revision whose bytes these are.
    ///
    /// - Throws: `.notFound`; `.wrongKind` for a folder; `.tooLarge` above ``fetchLimit``;
    ///   `.damaged` when the bytes do not match the store's hash.
    @concurrent func fetch(
        _ path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data)

    /// Writes a file whole, or not at all.
    ///
    /// Returns only after the file was seen on the server with these bytes. The same bytes written again change nothing and conflict with nothing. What an earlier write of
    /// this member's has left whose answer was lost is replaced, and is no conflict either.
    ///
    /// - Returns: The file as it is now, under the name the store gave it.
    /// - Throws: `.conflict` by `mode` (with the revision that is there now, where it is a
    ///   file), and always when a folder is there or a parent is a file; `.withoutEffect` when the
    ///   server accepted the bytes and does not have them; `.overQuota`; `.nameNotAllowed`; `.tooLarge`.
    @concurrent func put(
        _ data: Data, at path: RemotePath, mode: WriteMode
    ) async throws(StoreError) -> RemoteFile

    /// Small JPEGs of pictures, each as soon as it is there, roughly in the order asked for.
    ///
    /// Every path is answered exactly once, unless the stream is dropped: then the work
    /// stops. One that fails does not keep the others back: `.notFound`; `.noThumbnail`
    /// when none can be made; `.tooLarge` for pictures above the store's limit.
    func thumbnails(
        of paths: [RemotePath], size: ThumbnailSize
    ) -> AsyncStream<(path: RemotePath, result: Result<Data, StoreError>)>

    /// Removes a file, or a folder with all in it.
    ///
    /// - Parameters:
    ///   - revision: Where given, only while the file still has it.
    ///   - contentHash: Of the bytes that were seen under that revision, where known: see
    ///     ``WriteMode/update(_:contentHash:)``.
    /// - Throws: `.notFound`; `.conflict` when the file has another revision; `.withoutEffect` when it
    ///   is still there although the server said yes.
    @concurrent func delete(
        _ path: RemotePath, ifRevision revision: Revision?, contentHash: String?
    ) async throws(StoreError)

    /// Gives a file or folder another place or name.
    ///
    /// - Returns: What is now at `destination`.
    /// - Throws: `.notFound` when there is nothing to move; `.conflict` when something is
    ///   at the destination; `.nameNotAllowed`, also for a folder into itself;
    ///   `.overQuota`.
    @discardableResult
    @concurrent func move(
        _ path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry

    /// Makes an empty folder, and those above it.
    ///
    /// - Throws: `.conflict` when anything is at the path, a folder too; `.nameNotAllowed`.
    @concurrent func createFolder(_ path: RemotePath) async throws(StoreError)

    /// The files in a folder and below whose names match. A store may find what was written
    /// just now a little late.
    ///
    /// - Throws: `.notFound` when the folder is not there.
    @concurrent func search(
        _ query: String, in folder: RemotePath
    ) async throws(StoreError) -> [RemoteFile]

    /// Prepares to send a file of any size. Nothing happens before ``Transfer/resume()``.
    ///
    /// - Parameter record: A file to keep how far it has got in, of this upload's own. When the upload
    ///   breaks off, or the program does, the next one of the same bytes to the same path with the same
    ///   record goes on from there, where the store can. Nil to keep nothing, here or there.
    ///
    /// Finishes with the errors of ``put(_:at:mode:)``; `.fileUnreadable` when the local
    /// file cannot be read or is no file; `.changedMeanwhile` when it changed underway;
    /// `.damaged` when the store has other bytes than were sent.
    @MainActor func upload(
        fileAt file: URL, to path: RemotePath, mode: WriteMode, record: URL?,
        delegate: any TransferDelegate
    ) -> any Transfer

    /// Prepares to receive a file of any size. Nothing happens before ``Transfer/resume()``.
    ///
    /// The destination appears whole and verified, replacing what was there, or not at all.
    ///
    /// - Parameter keepsPartialFile: When it fails or is cancelled, what has arrived stays
    ///   beside the destination (as `.NAME.REVISION.part`), and the next such download of
    ///   the same revision goes on from there.
    ///
    /// Finishes with `.notFound`; `.wrongKind` for a folder; `.damaged`;
    /// `.changedMeanwhile` when the store's file changed underway; `.fileUnwritable` when
    /// the destination cannot be written.
    @MainActor func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool, delegate: any TransferDelegate
    ) -> any Transfer
}

extension RemoteStore {
    public var clockLead: TimeInterval? { nil }

    /// The largest file that ``fetch(_:)`` takes into memory, in bytes: 16 MiB.
    public var fetchLimit: Int64 { 16 << 20 }

    /// Removes a file in whatever revision, or a folder with all in it.
    @concurrent public func delete(_ path: RemotePath) async throws(StoreError) {
        try await delete(path, ifRevision: nil, contentHash: nil)
    }

    /// Removes a file while it has a revision.
    @concurrent public func delete(
        _ path: RemotePath, ifRevision revision: Revision?
    ) async throws(StoreError) {
        try await delete(path, ifRevision: revision, contentHash: nil)
    }

    /// All entries of one folder, not of the folders in it.
    @concurrent public func list(_ folder: RemotePath) async throws(StoreError) -> Listing {
        try await list(folder, recursive: false)
    }

    /// Prepares to send a file; it begins anew when it was begun before.
    @MainActor public func upload(
        fileAt file: URL, to path: RemotePath, mode: WriteMode, delegate: any TransferDelegate
    ) -> any Transfer {
        upload(fileAt: file, to: path, mode: mode, record: nil, delegate: delegate)
    }

    /// Prepares to receive a file; nothing is left behind when that fails.
    @MainActor public func download(
        _ path: RemotePath, to file: URL, delegate: any TransferDelegate
    ) -> any Transfer {
        download(path, to: file, keepsPartialFile: false, delegate: delegate)
    }
}
