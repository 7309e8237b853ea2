public import ClubStore
public import FoundationEssentials

/// A stored listing of a club.
public struct StoredListing: Sendable {
    /// Unordered.
    public var entries: [RemoteEntry]
    /// The cursor to continue from; nil if the last listing was incomplete.
    public var cursor: Cursor?
    /// See `Listing.skipped`.
    public var skipped: [String] = []
    /// When the whole folder was last listed.
    public var listedAt: Date
}

extension LocalCopy {
    /// The last listing of the server, without the outbox; nil if there was none.
    public func listing() throws -> StoredListing? {
        // The cursor and the entries must match: another program may be writing.
        try read { database in try database.snapshot { try Self.listing(in: database) } }
    }

    /// What has become of changes that have left the outbox, in the club as last listed: the files that they have
    /// written, and deletions where files were that they have moved or deleted.
    public func results(of changes: [WaitingChange]) throws -> [RemoteEntry] {
        try read { database in
            try database.snapshot {
                var entries: [RemoteEntry] = []
                for change in changes {
                    let sent = try OutboxRows.sentFile(for: change.id, in: database)?.path
                    let isWrite = if case .write = change.action { true } else { false }
                    if !isWrite, try Self.isNothing(at: change.path, in: database) {
                        entries.append(.deleted(change.path))
                    }
                    for path in Set([change.path, change.destination, sent].compactMap { $0 }) {
                        try Self.file(at: path, in: database).map { entries.append(.file($0)) }
                    }
                }
                return entries
            }
        }
    }

    private static func listing(in database: Database) throws -> StoredListing? {
        let listed = try database.first(
            "SELECT value FROM facts WHERE name = 'listed'", read: { $0.text(0) })
        guard let listed else { return nil }
        let cursor = try database.first(
            "SELECT value FROM facts WHERE name = 'cursor'", read: { $0.text(0) })
        let entries = try database.rows(
            "SELECT path, is_folder, revision, size, modified, hash FROM entries"
        ) { Self.entry($0) }
        let skipped = try database.first(
            "SELECT value FROM facts WHERE name = 'skipped'", read: { $0.data(0) })
        return StoredListing(
            entries: entries.compactMap { $0 }, cursor: cursor.map(Cursor.init(rawValue:)),
            skipped: skipped.flatMap { try? JSONDecoder().decode([String].self, from: $0) } ?? [],
            listedAt: Date(timeIntervalSince1970: Double(listed) ?? 0))
    }

    /// Replaces the listing.
    ///
    /// Entries that are no longer listed are recorded as deletions; their texts stay.
    ///
    /// - Returns: The paths that no longer exist.
    @discardableResult
    public func replaceListing(with listing: Listing, at now: Date = Date()) throws -> [RemotePath]
    {
        try write { database in
            // By bytes: Swift considers two names in different normalization forms equal.
            var old: [[UInt8]: RemoteEntry] = [:]
            _ = try database.rows(
                "SELECT path, is_folder, revision, size, modified, hash FROM entries"
            ) { row in
                if let entry = Self.entry(row) { old[Array(entry.path.string.utf8)] = entry }
            }
            for entry in listing.entries {
                let before = old.removeValue(forKey: Array(entry.path.string.utf8))
                if before != entry { try Self.set(entry, in: database, at: now) }
            }
            for entry in old.values { try Self.remove(entry.path, in: database, at: now) }
            try Self.setFact(
                "listed", String(Int64(clamping: now.timeIntervalSince1970)), in: database)
            try Self.setFact("cursor", listing.cursor.rawValue, in: database)
            let skipped = try JSONEncoder().encode(listing.skipped)
            try Self.setFact("skipped", String(decoding: skipped, as: UTF8.self), in: database)
            return old.values.map(\.path)
        }
    }

    /// Applies changes, in the store's order.
    ///
    /// - Parameter known: The cursor that the changes follow. If the copy is at another one, after a failed
    ///   write or because of another program, it is marked as incomplete: the next start lists the folder.
    public func apply(_ changes: Listing, after known: Cursor, at now: Date = Date()) throws {
        try write { database in
            let stored = try database.first(
                "SELECT value FROM facts WHERE name = 'cursor'", read: { $0.text(0) })
            for entry in changes.entries { try Self.set(entry, in: database, at: now) }
            if stored == known.rawValue {
                try Self.setFact("cursor", changes.cursor.rawValue, in: database)
            } else {
                try database.run("DELETE FROM facts WHERE name = 'cursor'")
            }
        }
    }

    /// Records the store's responses for single paths.
    ///
    /// - Parameter isOwn: Whether this member has made the change.
    public func record(
        _ entries: [RemoteEntry], isOwn: Bool = false, at now: Date = Date()
    ) throws {
        try write { database in
            for entry in entries {
                try Self.set(entry, in: database, isOwn: isOwn, at: now)
            }
        }
    }
}

extension LocalCopy {
    /// Records a confirmed rename, without a deletion.
    ///
    /// - Parameter revision: The revision before the rename, if known: the server may have reported its
    ///   deletion already.
    public func recordMove(
        of path: RemotePath, in revision: Revision? = nil, to file: RemoteFile?,
        at now: Date = Date()
    ) throws {
        try write { database in
            try Self.removeMoved(path, was: revision, in: database)
            guard let file else { return }
            try Self.moveVersions(of: path, to: file.path, in: database)
            try Self.set(.file(file), in: database, isOwn: true, at: now)
        }
    }

    static func setFact(_ name: String, _ value: String, in database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", .text(name), .text(value))
    }

    private static func entry(_ row: Row) -> RemoteEntry? {
        // No store issues such a path: another program has written to the database.
        guard let path = try? RemotePath(validating: row.text(0)) else { return nil }
        guard row.integer(1) == 0 else { return .folder(path) }
        return .file(
            RemoteFile(
                path: path, revision: Revision(rawValue: row.text(2)), byteCount: row.integer(3),
                modified: row.date(4), contentHash: row.optionalText(5)))
    }

    private static func isNothing(at path: RemotePath, in database: Database) throws -> Bool {
        try database.first(
            "SELECT 1 FROM entries WHERE path = ?", .text(path.string), read: { _ in true }) == nil
    }

    static func file(at path: RemotePath, in database: Database) throws -> RemoteFile? {
        try database.first(
            "SELECT path, is_folder, revision, size, modified, hash FROM entries WHERE path = ?",
            .text(path.string), read: { Self.entry($0)?.file }) ?? nil
    }

    static func set(
        _ entry: RemoteEntry, in database: Database, isOwn: Bool = false, at now: Date
    ) throws {
        switch entry {
        case .file(let file):
            try removeChildren(of: file.path, in: database, at: now)
            try database.run(
                """
                INSERT OR REPLACE INTO entries (path, is_folder, revision, size, modified, hash)
                VALUES (?, 0, ?, ?, ?, ?)
                """, .text(file.path.string), .text(file.revision.rawValue),
                .integer(file.byteCount), .date(file.modified), .text(orNull: file.contentHash))
            try indexKnownText(of: file, in: database)
        case .folder(let path):
            try database.run(
                "INSERT OR REPLACE INTO entries (path, is_folder) VALUES (?, 1)",
                .text(path.string))
        case .deleted(let path):
            try removeChildren(of: path, in: database, isOwn: isOwn, at: now)
            try remove(path, in: database, isOwn: isOwn, at: now)
        }
    }

    private static func removeChildren(
        of path: RemotePath, in database: Database, isOwn: Bool = false, at now: Date
    ) throws {
        // From “folder/” to “folder0”: “0” follows “/”. By bytes, like the index.
        let children = try database.rows(
            "SELECT path FROM entries WHERE path > ? AND path < ?", .text(path.string + "/"),
            .text(path.string + "0")
        ) { $0.text(0) }
        for child in children {
            guard let child = try? RemotePath(validating: child) else { continue }
            try remove(child, in: database, isOwn: isOwn, at: now)
        }
    }

    /// Removes a renamed file without recording a deletion.
    static func removeMoved(
        _ path: RemotePath, was revision: Revision? = nil, in database: Database
    ) throws {
        try unindex(path, in: database)
        if let revision {
            try database.run(
                "DELETE FROM deletions WHERE path = ? AND revision = ?", .text(path.string),
                .text(revision.rawValue))
        }
        try database.run("DELETE FROM entries WHERE path = ?", .text(path.string))
    }

    /// The earlier texts of a renamed note go with it; those of a deleted one that had the name before stay.
    static func moveVersions(
        of path: RemotePath, to new: RemotePath, in database: Database
    ) throws {
        guard path != new else { return }
        try database.run(
            """
            UPDATE OR IGNORE versions SET path = ? WHERE path = ? AND NOT EXISTS (
                SELECT 1 FROM deletions
                WHERE deletions.path = versions.path AND deletions.revision = versions.revision)
            """, .text(new.string), .text(path.string))
    }

    /// Removes a file and records its deletion.
    private static func remove(
        _ path: RemotePath, in database: Database, isOwn: Bool = false, at now: Date
    ) throws {
        if let file = try file(at: path, in: database) {
            try insertDeletion(of: file, in: database, isOwn: isOwn, at: now)
            try unindex(path, in: database)
        }
        try database.run("DELETE FROM entries WHERE path = ?", .text(path.string))
    }
}
