public import ClubStore
public import FoundationEssentials

/// A stored text that may contain the words.
public struct SearchCandidate: Sendable, Hashable {
    /// Its path, and its revision.
    public var path: RemotePath
    public var revision: Revision
    public var data: Data
    /// The position for the next page: see ``LocalCopy/candidates(for:before:after:limit:)``.
    public var position: Int64
}

extension LocalCopy {
    /// Texts that may contain all of these words, in one line or across lines, last seen first.
    ///
    /// All stored texts that contain them are included; others are excluded if the words have three letters
    /// or more. Case and accents are ignored.
    ///
    /// - Parameters:
    ///   - words: In any form; see ``SearchLetters``.
    ///   - position: The position of the previous page's last candidate; nil for the first page.
    ///   - first: A ``latestPosition()``: earlier texts are left out.
    public func candidates(
        for words: [String], before position: Int64? = nil, after first: Int64 = -1,
        limit: Int = 64
    ) throws -> [SearchCandidate] {
        let expression = Self.expression(for: words)
        let (before, after) = (Value.integer(position ?? .max), Value.integer(first))
        let limit = Value.integer(Int64(limit))
        return try read { database in
            if let expression {
                return try database.rows(
                    """
                    SELECT versions.path, versions.revision, versions.body, versions.id FROM words
                    JOIN versions ON versions.id = words.rowid
                    WHERE words MATCH ? AND words.rowid < ? AND words.rowid > ?
                    ORDER BY words.rowid DESC LIMIT ?
                    """, .text(expression), before, after, limit
                ) { Self.candidate($0) }
            }
            // Too short for the index: the texts are read one by one.
            return try database.rows(
                """
                SELECT versions.path, versions.revision, versions.body, versions.id FROM indexed
                JOIN versions ON versions.id = indexed.version
                WHERE indexed.version < ? AND indexed.version > ?
                ORDER BY indexed.version DESC LIMIT ?
                """, before, after, limit
            ) { Self.candidate($0) }
        }.compactMap { $0 }
    }

    /// The position after which all later texts are found.
    public func latestPosition() throws -> Int64 {
        try read { database in
            try database.first("SELECT max(version) FROM indexed", read: { $0.integer(0) }) ?? -1
        }
    }

    /// The files among these that ``candidates(for:before:after:limit:)`` does not include: their current
    /// text is not stored, or not indexed.
    public func filesWithoutIndex(among files: [RemoteFile]) throws -> [RemoteFile] {
        try read { database in
            try files.filter { file in
                try database.first(
                    """
                    SELECT 1 FROM indexed JOIN versions ON versions.id = indexed.version
                    WHERE indexed.path = ? AND versions.revision = ?
                    """, .text(file.path.string), .text(file.revision.rawValue), read: { _ in true }
                ) == nil
            }
        }
    }

    private static func candidate(_ row: Row) -> SearchCandidate? {
        guard let path = try? RemotePath(validating: row.text(0)) else { return nil }
        return SearchCandidate(
            path: path, revision: Revision(rawValue: row.text(1)), data: row.data(2),
            position: row.integer(3))
    }

    /// In the syntax of FTS5, each word quoted; nil if no word has three letters.
    static func expression(for words: [String]) -> String? {
        let long = words.map { String(decoding: SearchLetters.folded($0), as: UTF8.self) }
            .filter { $0.unicodeScalars.count >= 3 && !$0.unicodeScalars.contains("\0") }
        guard !long.isEmpty else { return nil }
        return long.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
            .joined(separator: " AND ")
    }
}

extension LocalCopy {
    /// Larger texts are not indexed: writing their words would lock the database for seconds.
    static let wordByteLimit = 16 << 20

    /// Indexes the words of a version, replacing those of the previous one.
    static func index(_ id: Int64, at path: RemotePath, _ data: Data, in database: Database) throws
    {
        let old = try database.first(
            "SELECT version FROM indexed WHERE path = ?", .text(path.string),
            read: { $0.integer(0) })
        guard old != id else { return }
        try unindex(path, in: database)
        // Only UTF-8 is indexed; very large notes are searched in the editor.
        guard data.count <= wordByteLimit, String(validating: data, as: UTF8.self) != nil else {
            return
        }
        try database.run(
            "INSERT OR REPLACE INTO indexed (path, version) VALUES (?, ?)", .text(path.string),
            .integer(id))
        try database.run(
            "INSERT INTO words (rowid, body) SELECT id, body FROM searchable WHERE id = ?",
            .integer(id))
    }

    /// Indexes a file whose text is already stored: it was restored, or recovered from a damaged database.
    static func indexKnownText(of file: RemoteFile, in database: Database) throws {
        let path = Value.text(file.path.string)
        let indexed = try database.first(
            """
            SELECT revision FROM indexed JOIN versions ON versions.id = indexed.version
            WHERE indexed.path = ?
            """, path, read: { $0.text(0) })
        guard indexed != file.revision.rawValue else { return }
        let known = try database.first(
            "SELECT id, body FROM versions WHERE path = ? AND revision = ? ORDER BY id DESC LIMIT 1",
            path, .text(file.revision.rawValue), read: { ($0.integer(0), $0.data(1)) })
        if let (id, data) = known { try index(id, at: file.path, data, in: database) }
    }

    /// Removes a note from the index.
    static func unindex(_ path: RemotePath, in database: Database) throws {
        let old = try database.first(
            "SELECT version FROM indexed WHERE path = ?", .text(path.string),
            read: { $0.integer(0) })
        guard let old else { return }
        try database.run(
            """
            INSERT INTO words (words, rowid, body)
            SELECT 'delete', id, body FROM searchable WHERE id = ?
            """, .integer(old))
        try database.run("DELETE FROM indexed WHERE path = ?", .text(path.string))
    }
}
