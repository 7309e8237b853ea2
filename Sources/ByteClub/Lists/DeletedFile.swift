internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials

/// A file that was deleted here and can be restored: `z` restores the last one first.
struct DeletedFile: Codable, Hashable, Sendable {
    var kind: FileKind
    /// Its original path: `/Plan.txt`.
    var path: String
    /// The deleted revision, by which a store that keeps revisions finds it.
    var revision: String
    var deletedAt: Date
    /// The photo's path in the club's trash, if the store keeps no revisions.
    var trash: String?
    /// The same for all files deleted by one command.
    var group: UUID
    /// Whether it was an empty folder; nil for a file, and in records of earlier versions.
    var isFolder: Bool?
    /// Nil in records of earlier versions.
    var byteCount: Int64?

    init(
        _ file: RemoteFile, kind: FileKind, at date: Date, group: UUID, trash: RemotePath? = nil
    ) {
        self.trash = trash?.string
        self.kind = kind
        self.group = group
        path = file.path.string
        revision = file.revision.rawValue
        byteCount = file.byteCount
        deletedAt = date
    }

    /// The deleted file, for a store that keeps it; nil for a folder.
    var file: RemoteFile? {
        guard isFolder != true, let path = try? RemotePath(validating: path) else { return nil }
        return RemoteFile(
            path: path, revision: Revision(rawValue: revision), byteCount: byteCount ?? 0,
            modified: deletedAt)
    }

    /// An empty folder of the notes tab.
    init(folder path: RemotePath, at date: Date, group: UUID) {
        kind = .notes
        self.group = group
        self.path = path.string
        revision = ""
        deletedAt = date
        isFolder = true
    }

    /// The maximum number kept per kind, unless more were deleted together.
    static let limit = 100
}
