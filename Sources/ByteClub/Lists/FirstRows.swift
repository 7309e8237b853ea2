internal import ByteClubFiles
package import ClubAccess
internal import ClubStore
package import FoundationEssentials

/// The first rows of a large list as they were shown last. They are on the screen at the next start before the
/// local copy is read, which then replaces them.
///
/// A file in the club's own state folder. It can be lost without harm; a damaged one is ignored.
package struct FirstRows: Codable, Equatable, Sendable {
    private var rows: [Row]
    package let sort: ListSort
    /// The number of all rows.
    package let count: Int
    package let unreadCount: Int

    /// More than any terminal shows.
    private static let limit = 200
    private static let byteLimit = 1 << 20

    /// A file, or a folder with the number of files in it.
    private struct Row: Codable, Equatable {
        var path: String
        var revision: String?
        var byteCount: Int64?
        var modified: Date?
        var contentHash: String?
        var fileCount: Int?
    }

    package init(of arrangement: FileArrangement) {
        rows = arrangement.entries.prefix(Self.limit).map { entry in
            switch entry {
            case .file(let file):
                Row(
                    path: file.path.string, revision: file.revision.rawValue,
                    byteCount: file.byteCount, modified: file.modified,
                    contentHash: file.contentHash)
            case .folder(let path, let fileCount): Row(path: path.string, fileCount: fileCount)
            }
        }
        sort = arrangement.sort
        count = arrangement.rowCount
        unreadCount = arrangement.unreadCount
    }

    /// Leaves out what no club could have listed.
    package var entries: [FileEntry] {
        rows.compactMap { row in
            guard let path = try? RemotePath(validating: row.path) else { return nil }
            if let fileCount = row.fileCount { return .folder(path, fileCount: fileCount) }
            guard let revision = row.revision, let byteCount = row.byteCount,
                let modified = row.modified
            else { return nil }
            return .file(
                RemoteFile(
                    path: path, revision: Revision(rawValue: revision), byteCount: byteCount,
                    modified: modified, contentHash: row.contentHash))
        }
    }
}

// MARK: - On disk

extension FirstRows {
    private static func file(in folder: URL) -> AtomicFile {
        AtomicFile(url: folder.appending(path: "first-notes.json"))
    }

    @concurrent package static func read(in folder: URL) async -> FirstRows? {
        (try? file(in: folder).read(atMost: byteLimit)).flatMap { $0 }
            .flatMap { try? JSONDecoder().decode(FirstRows.self, from: $0) }
    }

    @concurrent package static func remove(in folder: URL) async {
        try? file(in: folder).remove()
    }

    /// Ignores errors: the list works without it.
    @concurrent package func write(in folder: URL) async {
        guard let data = try? JSONEncoder().encode(self) else { return }
        try? Self.file(in: folder).write(data)
    }
}

// MARK: - Of one club

/// The first rows on disk, and those of this run.
@MainActor final class StoredFirstRows {
    /// Nil to store nothing.
    private let folder: URL?
    private var kept: FirstRows?
    /// Nil for a list that is small.
    private var now: FirstRows?
    private var isKnown = false
    private var writing: Task<Void, Never>?

    init(in folder: URL?) {
        self.folder = folder
    }

    /// Those of the last run; nil once those of this run are known.
    func read() async -> FirstRows? {
        guard let folder, !isKnown else { return nil }
        kept = await FirstRows.read(in: folder)
        if isKnown { keep(now) }
        return kept
    }

    /// Written at the end, and at once if there are none on disk; nil removes them.
    func keep(_ rows: FirstRows?) {
        (now, isKnown) = (rows, true)
        guard folder != nil, (rows == nil) != (kept == nil) else { return }
        write()
    }

    /// Returns when they are on disk.
    func finish() async {
        if isKnown, now != kept { write() }
        await writing?.value
    }

    private func write() {
        guard let folder else { return }
        let (rows, before) = (now, writing)
        kept = rows
        writing = Task {
            await before?.value
            if let rows { await rows.write(in: folder) } else { await FirstRows.remove(in: folder) }
        }
    }
}
