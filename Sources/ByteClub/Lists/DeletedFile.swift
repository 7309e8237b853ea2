internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials

/// A file that was deleted here and can be brought back: what `z` takes up, the last one first.
struct DeletedFile: Codable, Hashable, Sendable {
    var kind: FileKind
    /// Where it was: `/Plan.txt`.
    var path: String
    /// The state it was deleted in, by which a store that keeps revisions finds it again.
    var revision: String
    var deletedAt: Date
    /// Where a photo is kept in the club, when its store keeps no revisions.
    var trash: String?
    /// The same for what was deleted with one key.
    var group: UUID
    /// Whether it was a folder, with nothing in it; nil for a file, and in records of earlier versions.
    var isFolder: Bool?

    init(
        _ file: RemoteFile, kind: FileKind, at date: Date, group: UUID, trash: RemotePath? = nil
    ) {
        self.trash = trash?.string
        self.kind = kind
        self.group = group
        path = file.path.string
        revision = file.revision.rawValue
        deletedAt = date
    }

    /// An empty folder of the notes.
    init(folder path: RemotePath, at date: Date, group: UUID) {
        kind = .notes
        self.group = group
        self.path = path.string
        revision = ""
        deletedAt = date
        isFolder = true
    }

    /// More of a kind are not remembered, unless they were deleted together.
    static let limit = 100
}
