public import ClubStore
internal import DropboxAPI
public import FoundationEssentials

/// One text that a note has had, as this machine has seen it.
public struct SeenVersion: Sendable, Identifiable, Hashable {
    public let id: Int64
    /// Where it was; with the hash of its very bytes.
    public var file: RemoteFile
    /// When it came here.
    public var seen: Date
    /// Whether it was written here.
    public var isOwn: Bool
}

extension LocalCopy {
    /// The text of a file in just this state, with the hash of its bytes; nil when it was never seen.
    public func text(of file: RemoteFile) throws -> (file: RemoteFile, data: Data)? {
        try read { database in
            try database.first(
                """
                SELECT hash, body FROM versions
                WHERE path = ? AND revision = ? AND length(body) = ? AND (? IS NULL OR hash = ?)
                ORDER BY id DESC LIMIT 1
                """, .text(file.path.string), .text(file.revision.rawValue),
                .integer(file.byteCount), .text(orNull: file.contentHash),
                .text(orNull: file.contentHash)
            ) { row in
                var file = file
                file.contentHash = row.text(0)
                return (file, row.data(1))
            }
        }
    }

    /// Keeps texts in the states that they belong to, and lets their words be found.
    ///
    /// - Parameter isOwn: Whether they were written here.
    public func keep(
        _ texts: [(file: RemoteFile, data: Data)], isOwn: Bool = false, at now: Date = Date()
    ) throws {
        let hashed = texts.map { file, data in
            // Of the very bytes; hashing takes longer than the disk, and needs no lock.
            (file, data, file.contentHash ?? Self.hash(of: data))
        }
        try write { database in
            for (file, data, hash) in hashed {
                let id = try Self.insert(
                    data, of: file, hash: hash, isOwn: isOwn, in: database, at: now)
                if try Self.file(at: file.path, in: database).map({ $0.revision == file.revision })
                    ?? true
                {
                    try Self.index(id, at: file.path, data, in: database)
                }
            }
        }
    }

    /// Keeps a text that was typed here and was in no club, so that it can be found again.
    public func keepOwn(_ data: Data, at path: RemotePath, at now: Date = Date()) throws {
        let file = RemoteFile(
            path: path, revision: Revision(rawValue: ""), byteCount: Int64(data.count),
            modified: now)
        let hash = Self.hash(of: data)
        _ = try write { database in
            try Self.insert(data, of: file, hash: hash, isOwn: true, in: database, at: now)
        }
    }

    /// The files among these whose text is not here yet.
    public func missingTexts(among files: [RemoteFile]) throws -> [RemoteFile] {
        try read { database in
            try files.filter { file in
                try database.first(
                    "SELECT 1 FROM versions WHERE path = ? AND revision = ? LIMIT 1",
                    .text(file.path.string), .text(file.revision.rawValue), read: { _ in true })
                    == nil
            }
        }
    }

    /// What a note has been, as far as this machine has seen it; the newest first.
    public func versions(of path: RemotePath) throws -> [SeenVersion] {
        try read { database in
            try database.rows(
                """
                SELECT id, revision, hash, modified, seen, is_own, length(body) FROM versions
                WHERE path = ? ORDER BY id DESC
                """, .text(path.string)
            ) { row in
                SeenVersion(
                    id: row.integer(0),
                    file: RemoteFile(
                        path: path, revision: Revision(rawValue: row.text(1)),
                        byteCount: row.integer(6), modified: row.date(3), contentHash: row.text(2)),
                    seen: row.date(4), isOwn: row.integer(5) != 0)
            }
        }
    }

    /// The bytes of a version; nil when it has been forgotten meanwhile.
    public func text(ofVersion id: SeenVersion.ID) throws -> Data? {
        try read { database in
            try database.first(
                "SELECT body FROM versions WHERE id = ?", .integer(id), read: { $0.data(0) })
        }
    }

    /// The text that a change was based on; nil when it was never seen, or forgotten since.
    ///
    /// - Parameter hash: Of the very bytes, where it is known; then it alone decides, wherever the note was.
    public func baseText(
        at path: RemotePath, revision: Revision, hash: String?
    ) throws -> Data? {
        try read { database in
            if let hash {
                return try database.first(
                    "SELECT body FROM versions WHERE hash = ? LIMIT 1", .text(hash),
                    read: { $0.data(0) })
            }
            return try database.first(
                "SELECT body FROM versions WHERE path = ? AND revision = ? ORDER BY id DESC LIMIT 1",
                .text(path.string), .text(revision.rawValue), read: { $0.data(0) })
        }
    }
}

extension LocalCopy {
    /// In Dropbox's form, as ``RemoteFile/contentHash``.
    static func hash(of data: Data) -> String { ContentHash(of: data).hexadecimal }

    /// So many versions of each note are kept, and those that what waits is compared with when it is sent.
    static let versionLimit: Int64 = 50
    /// So many bytes of versions of a note; the latest two in any case. Small ones do not make room for a large
    /// one: what it took the place of may be all that matters.
    static let versionByteLimit: Int64 = 256 << 20
    private static let smallByteCount: Int64 = 1 << 20

    /// - Returns: The version's number.
    @discardableResult
    static func insert(
        _ data: Data, of file: RemoteFile, hash: String, isOwn: Bool, in database: Database,
        at now: Date
    ) throws -> Int64 {
        let old = try database.first(
            "SELECT id FROM versions WHERE path = ? AND revision = ? AND hash = ?",
            .text(file.path.string), .text(file.revision.rawValue), .text(hash),
            read: { $0.integer(0) })
        if let old { return old }
        try database.run(
            """
            INSERT INTO versions (path, revision, hash, modified, seen, is_own, body)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, .text(file.path.string), .text(file.revision.rawValue), .text(hash),
            .date(file.modified), .date(now), .integer(isOwn ? 1 : 0), .blob(data))
        let id = database.lastRow
        try prune(file.path, in: database)
        return id
    }

    /// Forgets versions of a note beyond the limits, but for those that what waits is compared with.
    static func prune(
        _ path: RemotePath, in database: Database, byteLimit: Int64 = versionByteLimit
    ) throws {
        try database.run(
            """
            DELETE FROM versions WHERE path = ? AND id NOT IN (SELECT version FROM indexed)
                AND id IN (SELECT id FROM (
                    SELECT id, length(body) AS size, row_number() OVER latest AS place,
                        sum(length(body)) OVER latest AS total
                    FROM versions WHERE path = ? WINDOW latest AS (ORDER BY id DESC))
                    WHERE place > ? OR (place > 2 AND total > ? AND size > ?))
                AND hash NOT IN (SELECT base_hash FROM outbox WHERE base_hash IS NOT NULL)
                AND NOT EXISTS (SELECT 1 FROM outbox
                    WHERE outbox.path = versions.path AND base_revision = versions.revision)
            """, .text(path.string), .text(path.string), .integer(versionLimit),
            .integer(byteLimit), .integer(smallByteCount))
    }
}
