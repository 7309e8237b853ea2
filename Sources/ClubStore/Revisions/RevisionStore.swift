public import FoundationEssentials

/// Keeps earlier states of files, and those of files that were removed, for a while.
public protocol RevisionKeeping: Sendable {
    /// The states of a file, the latest first; also of one that has been removed.
    ///
    /// - Parameter limit: How many at most, 1...100.
    /// - Throws: `.notFound` when there never was such a file, or nothing is known of it any more;
    ///   `.wrongKind` when it is a folder.
    @concurrent func revisions(
        of path: RemotePath, limit: Int
    ) async throws(StoreError) -> RevisionHistory

    /// A small file as it was.
    ///
    /// - Throws: As ``RemoteStore/fetch(_:)``; `.notFound` also when the revision is not kept any more.
    @concurrent func fetch(
        _ path: RemotePath, revision: Revision
    ) async throws(StoreError) -> (file: RemoteFile, data: Data)

    /// Makes an earlier state the current one, whatever is there now, which becomes an earlier state.
    ///
    /// - Returns: The file as it is now, with a new revision.
    /// - Throws: `.notFound` when the revision is not kept any more, or was never this file's.
    @concurrent func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(StoreError) -> RemoteFile
}

/// A store that keeps earlier states itself.
///
/// Dropbox and the embedded club do. How long is theirs to say.
public protocol RevisionStore: RemoteStore, RevisionKeeping {
    /// Whether this one does; a gateway may speak the protocol and keep nothing.
    var keepsRevisions: Bool { get }
}

extension RevisionStore {
    public var keepsRevisions: Bool { true }
}

extension RemoteStore {
    /// The store as one that keeps revisions; nil when it is not one.
    public var revisionStore: (any RevisionStore)? {
        (self as? any RevisionStore).flatMap { $0.keepsRevisions ? $0 : nil }
    }
}

/// What is known of a file's past.
public struct RevisionHistory: Hashable, Sendable {
    /// Whether the file is not there now.
    public var isDeleted: Bool

    /// The latest first.
    public var revisions: [RemoteFile]

    public init(isDeleted: Bool, revisions: [RemoteFile]) {
        self.isDeleted = isDeleted
        self.revisions = revisions
    }
}
