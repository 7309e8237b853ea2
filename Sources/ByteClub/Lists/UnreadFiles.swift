internal import ClubAccess
internal import ClubStore

/// The files of a tab that are unread, counted once for each change of the club.
struct UnreadFiles: Sendable {
    /// The number of those in a folder and below it.
    let count: Int
    /// Whether a file of this kind is unread anywhere in the club.
    let isAnywhere: Bool
    /// The folders in the folder with unread files in them or below.
    let folders: Set<RemotePath>

    static let none = UnreadFiles(count: 0)

    /// Some, of which only the number is known.
    init(count: Int) {
        self.init(count: count, isAnywhere: count > 0, folders: [])
    }

    private init(count: Int, isAnywhere: Bool, folders: Set<RemotePath>) {
        (self.count, self.isAnywhere, self.folders) = (count, isAnywhere, folders)
    }

    init(
        _ contents: ClubContents, _ kind: FileKind, in folder: RemotePath, _ seen: UnreadMarks
    ) {
        let unread = seen.isEmpty ? [] : contents.files(of: kind, where: seen.isUnread)
        // There is only one folder of photos.
        let shown = kind == .photos ? unread : unread.filter { $0.path.isInside(folder) }
        let depth = folder.components.count + 1
        self.init(
            count: shown.count, isAnywhere: !unread.isEmpty,
            folders: Set(
                shown.lazy.filter { $0.path.components.count > depth }
                    .map { $0.path.prefix(depth) }))
    }
}
