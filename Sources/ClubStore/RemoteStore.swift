public import FoundationEssentials

/// A club's remote folder: the contract that every adapter implements.
///
/// All errors are ``StoreError``, and each code means the same for every adapter:
///
/// - Every call may throw `.offline`, `.untrusted`, `.timedOut`, `.unauthorized`, `.forbidden`,
///   `.refused`, `.locked`, `.rateLimited`, `.serverUnavailable`, `.serverError`, `.badAnswer` and
///   `.badRequest`; and `.cancelled` when its task is cancelled. By then the store has made its
///   bounded retries: a caller need not retry.
/// - Further errors are listed with each call. A call that throws has changed nothing, except that
///   after `.offline`, `.timedOut` and `.cancelled` a write may have reached the server although
///   the response was lost.
/// - Calls that create something at a path also create the folders above it.
/// - The root is a folder that cannot be removed or moved (`.forbidden`), created or replaced
///   (`.conflict`).
///
/// The async calls leave the caller's actor: parsing and hashing never run on the main actor.
public protocol RemoteStore: RemoteReading {
    /// How many seconds this computer's clock is ahead of the server's, accurate to a second or
    /// two.
    ///
    /// From the server's last response; nil before the first one, and when the server sends no
    /// date.
    var clockLead: TimeInterval? { get }

    /// Finds out whether listings contain files whose names begin with a dot, with a file of such a name if the
    /// server has to be tried. `.listed` unless the server is known to leave them out.
    @concurrent func probeHiddenNames() async -> HiddenNames

    /// The signed-in account and its quota.
    @concurrent func account() async throws(StoreError) -> Account

    /// The changes to a listed folder since the cursor was issued. Often empty.
    ///
    /// - Throws: `.cursorReset` when the cursor is too old or unknown, or its folder is
    ///   gone: list again.
    @concurrent func changes(since cursor: Cursor) async throws(StoreError) -> Listing

    /// Waits until something may have changed.
    ///
    /// - Parameter longest: How long to wait, at most.
    /// - Returns: True when ``changes(since:)`` is worth calling; it may still return
    ///   nothing. False on timeout.
    /// - Throws: `.cursorReset` as ``changes(since:)`` does. Never `.timedOut`.
    @concurrent func waitForChanges(
        after cursor: Cursor, atMost longest: Duration
    ) async throws(StoreError) -> Bool

    /// Writes a file completely, or not at all.
    ///
    /// Returns only after the file was seen on the server with these bytes. Writing the same bytes
    /// again changes nothing and causes no conflict. Whatever an earlier write by this member left
    /// on the server without a response is replaced without a conflict.
    ///
    /// - Returns: The stored file, under the name the store gave it.
    /// - Throws: `.conflict` according to `mode` (with the current revision, if it is a file), and
    ///   always when a folder is at the path or a parent is a file; `.withoutEffect` when the
    ///   server accepted the bytes but does not have them; `.overQuota`; `.nameNotAllowed`;
    ///   `.tooLarge`.
    @concurrent func put(
        _ data: Data, at path: RemotePath, mode: RemoteWriteMode
    ) async throws(StoreError) -> RemoteFile

    /// Another program on this computer has confirmed this state of a file: an earlier write of this one to its path is
    /// no longer unconfirmed.
    func noteConfirmed(_ file: RemoteFile)

    /// A text that the next ``put(_:at:mode:)`` is based on, for stores that may have to tell the beginning of what was
    /// sent from a text that somebody has shortened.
    func noteBase(_ text: Data)

    /// Whether the hash of a file that was written is what the server has made of it, and not of what was sent.
    var reportsServerHashes: Bool { get }

    /// JPEG thumbnails, each as soon as it is available, roughly in the order requested.
    ///
    /// Every path gets exactly one result, unless the caller drops the stream, which stops
    /// the work. A failure does not delay the others: `.notFound`; `.noThumbnail` when none
    /// can be made; `.tooLarge` for pictures above the store's limit.
    func thumbnails(
        of paths: [RemotePath], size: RemoteThumbnailSize
    ) -> AsyncStream<(path: RemotePath, result: Result<Data, StoreError>)>

    /// Removes a file, or a folder with its contents.
    ///
    /// - Parameters:
    ///   - revision: If given, removes only while the file has it.
    ///   - contentHash: The hash of the bytes seen under that revision, if known: see
    ///     ``RemoteWriteMode/update(_:contentHash:)``.
    /// - Throws: `.notFound`; `.conflict` when the file has another revision; `.notEmpty` where the
    ///   store keeps a folder for what it does not list; `.withoutEffect` when it still exists although
    ///   the server reported success.
    @concurrent func delete(
        _ path: RemotePath, ifRevision revision: Revision?, contentHash: String?
    ) async throws(StoreError)

    /// Moves or renames a file or folder.
    ///
    /// - Returns: The item now at `destination`.
    /// - Throws: `.notFound` when the source does not exist; `.conflict` when the
    ///   destination is taken; `.nameNotAllowed`, also for moving a folder into itself;
    ///   `.overQuota`.
    @discardableResult
    @concurrent func move(
        _ path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry

    /// Creates an empty folder, and those above it.
    ///
    /// - Throws: `.conflict` when the path is taken, even by a folder; `.nameNotAllowed`.
    @concurrent func createFolder(_ path: RemotePath) async throws(StoreError)

    /// The files in and below a folder whose names match. A store's index may lag behind
    /// recent writes.
    ///
    /// - Throws: `.notFound` when the folder does not exist.
    @concurrent func search(
        _ query: String, in folder: RemotePath
    ) async throws(StoreError) -> [RemoteFile]

    /// Prepares an upload of any size. Nothing happens before ``StoreTransfer/resume()``.
    ///
    /// - Parameter record: A file of this upload's own that stores its progress. When the upload or
    ///   the program is interrupted, the next upload of the same bytes to the same path with the
    ///   same record resumes, if the store supports it. Nil to keep nothing, here or on the server.
    ///
    /// Finishes with the errors of ``put(_:at:mode:)``; `.fileUnreadable` when the local file
    /// cannot be read or is not a file; `.changedMeanwhile` when it changed during the upload;
    /// `.damaged` when the store has other bytes than were sent.
    @MainActor func upload(
        fileAt file: URL, to path: RemotePath, mode: RemoteWriteMode, record: URL?,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer

    /// Prepares a download of any size. Nothing happens before ``StoreTransfer/resume()``.
    ///
    /// The destination appears complete and verified, or not at all.
    ///
    /// - Parameters:
    ///   - keepsPartialFile: After a failure or cancellation, the received bytes stay beside the
    ///     destination (as `.NAME.REVISION.part`), and the next such download of the same
    ///     revision resumes from them. A success removes those of other revisions.
    ///   - replaces: Whether a file at the destination is replaced. If not, one that is there at
    ///     the end stays, and the download fails with `.fileUnwritable` above
    ///     ``DestinationProblem/isThere``.
    ///
    /// Finishes with `.notFound`; `.wrongKind` for a folder; `.damaged`; `.changedMeanwhile`
    /// when the remote file changed during the download; `.fileUnwritable` when the
    /// destination cannot be written, above a ``DestinationProblem``.
    @MainActor func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool, replaces: Bool,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer
}

/// What listings do with names that begin with a dot.
public enum HiddenNames: Sendable {
    case listed
    case leftOut
}

extension RemoteStore {
    public var clockLead: TimeInterval? { nil }

    public var reportsServerHashes: Bool { true }

    public func noteConfirmed(_ file: RemoteFile) {}

    public func noteBase(_ text: Data) {}

    @concurrent public func probeHiddenNames() async -> HiddenNames { .listed }

    /// The largest file that ``fetch(_:)`` loads into memory, in bytes.
    public var fetchLimit: Int64 { RemoteFile.fetchLimit }

    /// Removes a file in any revision, or a folder with its contents.
    @concurrent public func delete(_ path: RemotePath) async throws(StoreError) {
        try await delete(path, ifRevision: nil, contentHash: nil)
    }

    /// Removes a file if it still has this revision.
    @concurrent public func delete(
        _ path: RemotePath, ifRevision revision: Revision?
    ) async throws(StoreError) {
        try await delete(path, ifRevision: revision, contentHash: nil)
    }

    /// All entries of one folder, without its subfolders' contents.
    @concurrent public func list(_ folder: RemotePath) async throws(StoreError) -> Listing {
        try await list(folder, recursive: false)
    }

    /// Prepares an upload that does not resume an earlier one.
    @MainActor public func upload(
        fileAt file: URL, to path: RemotePath, mode: RemoteWriteMode,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        upload(fileAt: file, to: path, mode: mode, record: nil, delegate: delegate)
    }

    /// Prepares a download that replaces what is at its destination.
    @MainActor public func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool = false,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        download(
            path, to: file, keepsPartialFile: keepsPartialFile, replaces: true, delegate: delegate)
    }
}

extension RemoteFile {
    /// The largest file that is read into memory as a whole, in bytes: 128 MiB. So large may a note be.
    public static var fetchLimit: Int64 { 128 << 20 }
}
