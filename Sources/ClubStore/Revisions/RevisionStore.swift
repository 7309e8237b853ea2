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
/// Dropbox and the embedded club do, and a Nextcloud where its apps are switched on. How long is theirs to say.
public protocol RevisionStore: RemoteStore, RevisionKeeping {
    /// Whether this one keeps replaced revisions; a gateway may support the protocol without keeping any.
    var keepsRevisions: Bool { get async throws(StoreError) }

    /// The same for deleted files.
    var keepsDeletedFiles: Bool { get async throws(StoreError) }

    /// What is known of ``keepsDeletedFiles`` without a request; nil when the server was not asked yet.
    var isKnownToKeepDeletedFiles: Bool? { get }

    /// Whether each state that is replaced is kept, under the revision that it had.
    ///
    /// If not, a program keeps what it replaces or removes itself, too.
    var keepsEveryState: Bool { get }

    /// The revision under which a file that was removed is kept.
    ///
    /// - Parameters:
    ///   - revision: The state that it was removed in.
    ///   - byteCount: Its length, if known.
    /// - Throws: `.notFound` when it is not kept.
    @concurrent func keptRevision(
        of path: RemotePath, _ revision: Revision, byteCount: Int64?
    ) async throws(StoreError) -> Revision

    /// Whether a file that was just removed is kept in its last state.
    @concurrent func keepsDeleted(_ file: RemoteFile) async throws(StoreError) -> Bool
}

extension RevisionStore {
    public var keepsRevisions: Bool { true }
    public var keepsDeletedFiles: Bool {
        get async throws(StoreError) { try await keepsRevisions }
    }
    public var isKnownToKeepDeletedFiles: Bool? { true }
    public var keepsEveryState: Bool { true }

    @concurrent public func keptRevision(
        of path: RemotePath, _ revision: Revision, byteCount: Int64?
    ) async throws(StoreError) -> Revision { revision }

    @concurrent public func keepsDeleted(_ file: RemoteFile) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            let history = try await revisions(of: file.path, limit: 1)
            return history.revisions.first?.revision == file.revision
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }
}

extension RemoteStore {
    /// The store as one that keeps revisions; nil when it is not one.
    public var revisionStore: (any RevisionStore)? {
        get async throws(StoreError) {
            guard let store = self as? any RevisionStore, try await store.keepsRevisions else {
                return nil
            }
            return store
        }
    }

    /// The store as one that keeps deleted files; nil if it does not.
    public var trashStore: (any RevisionStore)? {
        get async throws(StoreError) {
            guard let store = self as? any RevisionStore, try await store.keepsDeletedFiles else {
                return nil
            }
            return store
        }
    }

    /// Whether the store keeps deleted files, as far as known without a request.
    public var isKnownToKeepDeletedFiles: Bool? {
        guard let store = self as? any RevisionStore else { return false }
        return store.isKnownToKeepDeletedFiles
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
