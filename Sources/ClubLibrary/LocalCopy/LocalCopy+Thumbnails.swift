public import ClubStore
public import FoundationEssentials

extension LocalCopy {
    /// The stored thumbnail of a picture's revision.
    public func thumbnail(
        of path: RemotePath, revision: Revision, size: RemoteThumbnailSize
    ) throws -> Data? {
        try read { database in
            try database.first(
                "SELECT body FROM thumbnails WHERE path = ? AND revision = ? AND box = ?",
                .text(path.string), .text(revision.rawValue), .text(size.rawValue),
                read: { $0.data(0) })
        }
    }

    /// Stores a thumbnail; removes the oldest ones if there are too many.
    public func keepThumbnail(
        _ data: Data, of path: RemotePath, revision: Revision, size: RemoteThumbnailSize,
        at now: Date = Date()
    ) throws {
        guard data.count <= Self.thumbnailLimit / 16 else { return }
        try write { database in
            // Earlier revisions are no longer needed.
            try database.run(
                "DELETE FROM thumbnails WHERE path = ? AND box = ?", .text(path.string),
                .text(size.rawValue))
            try database.run(
                "INSERT INTO thumbnails (path, revision, box, used, body) VALUES (?, ?, ?, ?, ?)",
                .text(path.string), .text(revision.rawValue), .text(size.rawValue),
                .date(now), .blob(data))
            let total =
                try database.first(
                    "SELECT sum(length(body)) FROM thumbnails", read: { $0.integer(0) }) ?? 0
            guard total > Self.thumbnailLimit else { return }
            try database.run(
                """
                DELETE FROM thumbnails WHERE (path, box) IN
                    (SELECT path, box FROM thumbnails ORDER BY used LIMIT 32)
                """)
        }
    }

    /// Removes all of them from the file, too: its free pages would keep their bytes.
    public func removeThumbnails() throws {
        try write(isDurable: true) { database in
            try database.execute("PRAGMA secure_delete = ON")
            defer { try? database.execute("PRAGMA secure_delete = OFF") }
            try database.run("DELETE FROM thumbnails")
        }
        emptyLog()
    }

    /// The same in copies of a folder that were set aside, as far as they can be opened.
    public static func removeThumbnails(ofCopiesSetAsideIn folder: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix("library-") && name.hasSuffix(".sqlite") {
            guard let database = try? Database(path: folder.path + "/" + name) else { continue }
            try? database.execute("PRAGMA secure_delete = ON")
            try? database.run("DELETE FROM thumbnails")
            try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// In bytes, for all thumbnails.
    private static let thumbnailLimit = Int64(64 << 20)
}
