public import ClubStore
public import FoundationEssentials

/// A file that was deleted from the club, as observed by this computer.
public struct Deletion: Sendable, Identifiable, Hashable {
    public let id: Int64
    /// The deleted file.
    public var file: RemoteFile
    public var deleted: Date
    /// Whether it was deleted here.
    public var isOwn: Bool
    /// ``isOwn``, or nil for a note that never was in the club: it waited, and was taken back.
    public var wasDeletedHere: Bool? {
        !isOwn && file.revision.waitingChange != nil ? nil : isOwn
    }
    /// Whether its text is still stored here.
    public var hasText: Bool
}

extension LocalCopy {
    /// The deleted files in their last state, latest deletion first. Renames by others are left out if they
    /// can be detected.
    ///
    /// - Parameter folder: Each deleted state below it is listed, also if its name was used again, unless the club
    ///   has these bytes somewhere: what is there has no versions to look for it in. The name is compared without
    ///   regard to case.
    public func trash(withAllStatesIn folder: RemotePath? = nil, limit: Int = 1000) throws
        -> [Deletion]
    {
        let latest = try latestDeletions(limit: limit)
        guard let folder else { return latest }
        let others = try deletions(
            where: """
                lower(substr(path, 1, ?)) = ? AND hash IS NOT NULL
                    AND id IN (SELECT max(id) FROM deletions GROUP BY hash)
                    AND hash NOT IN (SELECT hash FROM entries WHERE hash IS NOT NULL)
                """,
            .integer(Int64(folder.string.unicodeScalars.count + 1)),
            .text(folder.string.lowercased() + "/"), limit: limit)
        let known = Set(latest.map(\.id))
        return (latest + others.filter { !known.contains($0.id) }).sorted { $0.id > $1.id }
    }

    private func latestDeletions(limit: Int) throws -> [Deletion] {
        try deletions(
            where: """
                id IN (SELECT max(id) FROM deletions GROUP BY path)
                    AND path NOT IN (SELECT path FROM entries)
                    AND NOT EXISTS (SELECT 1 FROM own_writes
                        WHERE own_writes.path = deletions.path AND begun >= deleted
                            AND own_writes.revision <> deletions.revision)
                    AND (is_own OR hash IS NULL
                        OR hash NOT IN (SELECT hash FROM entries WHERE hash IS NOT NULL))
                    AND (is_own OR NOT EXISTS (SELECT 1 FROM versions AS gone
                        JOIN versions AS there ON there.hash = gone.hash
                        JOIN entries ON entries.path = there.path
                            AND entries.revision = there.revision
                        WHERE gone.path = deletions.path AND gone.revision = deletions.revision))
                """, limit: limit)
    }

    /// Records a deletion made on this computer, by any program: at once, also for a file that was never
    /// listed here, and whether or not the server has reported it.
    public func recordOwnDeletion(of file: RemoteFile, at now: Date = Date()) throws {
        try write { try Self.setOwnDeletion(of: file, in: $0, at: now) }
    }

    /// The deletions, latest first.
    public func deletions(limit: Int = 1000) throws -> [Deletion] {
        try deletions(where: "TRUE", limit: limit)
    }

    /// - Parameter hash: The content hash of what was deleted, if it never reached the club.
    static func setOwnDeletion(
        of file: RemoteFile, withHash hash: String? = nil, in database: Database, at now: Date
    ) throws {
        let known = try Self.file(at: file.path, in: database)
        var gone = known?.revision == file.revision ? known ?? file : file
        if let hash { gone.contentHash = hash }
        try insertDeletion(of: gone, in: database, isOwn: true, at: now)
        try removeMoved(file.path, in: database)
        // Earlier texts at this path cannot be restored here.
        try database.run(
            "DELETE FROM own_writes WHERE path = ? AND revision IS NOT NULL",
            .text(file.path.string))
    }

    /// Records each revision once: the server reports this computer's deletions, too, before or after. Which text was
    /// deleted, this computer knows: a later one than the club's may have waited.
    static func insertDeletion(
        of file: RemoteFile, in database: Database, isOwn: Bool, at now: Date
    ) throws {
        try database.run(
            """
            UPDATE deletions
            SET deleted = max(deleted, ?), is_own = max(is_own, ?), hash = coalesce(?, hash)
            WHERE path = ? AND revision = ?
            """, .date(now), .integer(isOwn ? 1 : 0), .text(orNull: isOwn ? file.contentHash : nil),
            .text(file.path.string), .text(file.revision.rawValue))
        guard database.changedRows == 0 else { return }
        try database.run(
            """
            INSERT INTO deletions (path, revision, hash, size, modified, deleted, is_own)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, .text(file.path.string), .text(file.revision.rawValue),
            .text(orNull: file.contentHash), .integer(file.byteCount), .date(file.modified),
            .date(now), .integer(isOwn ? 1 : 0))
    }

    private func deletions(
        where condition: String, _ values: Value..., limit: Int
    ) throws -> [Deletion] {
        try read { database in
            try database.rows(
                """
                SELECT id, path, revision, hash, size, modified, deleted, is_own,
                    EXISTS (SELECT 1 FROM versions WHERE versions.path = deletions.path
                        AND versions.revision = deletions.revision)
                FROM deletions WHERE \(condition) ORDER BY id DESC LIMIT ?
                """, values + [.integer(Int64(limit))]
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
