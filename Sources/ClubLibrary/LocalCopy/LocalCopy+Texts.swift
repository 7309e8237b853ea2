public import ClubStore
internal import DropboxAPI
public import FoundationEssentials
internal import Glibc

/// A text of a note, as observed by this computer.
public struct SeenVersion: Sendable, Identifiable, Hashable {
    public let id: Int64
    /// The file, with the hash of its bytes.
    public var file: RemoteFile
    /// When it was stored.
    public var seen: Date
    /// Whether it was written here.
    public var isOwn: Bool
}

extension LocalCopy {
    /// The stored text of a file's revision, with the hash of its bytes; nil if it is not stored.
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

    /// Stores and indexes texts with their revisions.
    ///
    /// - Parameter isOwn: Whether they were written here.
    public func keep(
        _ texts: [(file: RemoteFile, data: Data)], isOwn: Bool = false, at now: Date = Date()
    ) throws {
        let hashed = texts.map { file, data in
            // The hash of the bytes; hashing takes longer than the disk, and needs no lock.
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

    /// Stores a text that was typed here and never in a club, so that it can be found again.
    public func keepOwn(_ data: Data, at path: RemotePath, at now: Date = Date()) throws {
        let file = RemoteFile(
            path: path, revision: Revision(rawValue: ""), byteCount: Int64(data.count),
            modified: now)
        let hash = Self.hash(of: data)
        _ = try write { database in
            try Self.insert(data, of: file, hash: hash, isOwn: true, in: database, at: now)
        }
    }

    /// The files among these whose text is not stored.
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

    /// A note's versions observed by this computer, newest first.
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

    /// The text of a note that was written here, has not reached the club, and was deleted: the deletion replaced it in
    /// the outbox. Nil for another text, such as one that was taken back.
    ///
    /// - Parameter hash: The content hash of what was deleted, from the deletion.
    public func unsentVersion(of path: RemotePath, hash: String?) throws -> SeenVersion? {
        guard let hash else { return nil }
        let version = try versions(of: path).first { $0.file.contentHash == hash }
        guard let version, version.isOwn, version.file.revision.waitingChange != nil,
            try sentFile(for: version.file.revision) == nil
        else { return nil }
        return version
    }

    /// The bytes of a version; nil if it was pruned.
    public func text(ofVersion id: SeenVersion.ID) throws -> Data? {
        try read { database in
            try database.first(
                "SELECT body FROM versions WHERE id = ?", .integer(id), read: { $0.data(0) })
        }
    }

    /// The base text of a change; nil if it was never stored, or pruned.
    ///
    /// - Parameter hash: The content hash if known; then it alone decides, whatever the path.
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
    /// The content hash, as in ``RemoteFile/contentHash``.
    public static func hash(of data: Data) -> String { ContentHash(of: data).hexadecimal }

    /// The same of a file; nil when it cannot be read.
    static func hash(ofFileAt file: URL) -> String? {
        let descriptor = Glibc.open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let hasher = ContentHasher()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return hasher.finish().hexadecimal }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            buffer.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    /// The number of versions kept per note, besides those that changes in the outbox are based on.
    static let versionLimit: Int64 = 50
    /// The total size of a note's versions; the latest two are always kept. Small ones do not displace a
    /// large one, which may be the important one.
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
        if let old {
            // The change may have been fetched before it was known here who made it.
            if isOwn {
                try database.run("UPDATE versions SET is_own = 1 WHERE id = ?", .integer(old))
            }
            return old
        }
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

    /// Removes versions of a note beyond the limits, except those that changes in the outbox are based on.
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
