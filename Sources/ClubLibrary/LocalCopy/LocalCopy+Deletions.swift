public import ClubStore
public import FoundationEssentials

/// A file that is in the club no more, as far as this machine has seen it go.
public struct Deletion: Sendable, Identifiable, Hashable {
    public let id: Int64
    /// What it was.
    public var file: RemoteFile
    public var deleted: Date
    /// Whether it was deleted here.
    public var isOwn: Bool
    /// Whether its text is still here.
    public var hasText: Bool
}

extension LocalCopy {
    /// What can be looked for in the trash: each file that is gone, as it was last, the last one first. What
    /// others have only given another name is left out, where that can be told.
    public func trash(limit: Int = 1000) throws -> [Deletion] {
        try deletions(
            where: """
                id IN (SELECT max(id) FROM deletions GROUP BY path)
                    AND path NOT IN (SELECT path FROM entries)
                    AND (is_own OR hash IS NULL
                        OR hash NOT IN (SELECT hash FROM entries WHERE hash IS NOT NULL))
                """, limit: limit)
    }

    /// What was deleted, the last one first.
    public func deletions(limit: Int = 1000) throws -> [Deletion] {
        try deletions(where: "TRUE", limit: limit)
    }

    private func deletions(where condition: String, limit: Int) throws -> [Deletion] {
        try read { database in
            try database.rows(
                """
                SELECT id, path, revision, hash, size, modified, deleted, is_own,
                    EXISTS (SELECT 1 FROM versions WHERE versions.path = deletions.path
                        AND versions.revision = deletions.revision)
                FROM deletions WHERE \(condition) ORDER BY id DESC LIMIT ?
                """, .integer(Int64(limit))
            ) { row -> Deletion? in
                guard let path = try? RemotePath(validating: row.text(1)) else { return nil }
                return Deletion(
                    id: row.integer(0),
                    file: RemoteFile(
                        path: path, revision: Revision(rawValue: row.text(2)),
                        byteCount: row.integer(4), modified: row.date(5),
                        contentHash: row.optionalText(3)),
                    deleted: row.date(6), isOwn: row.integer(7) != 0, hasText: row.integer(8) != 0)
            }.compactMap { $0 }
        }
    }
}
