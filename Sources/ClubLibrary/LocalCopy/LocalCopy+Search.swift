public import ClubStore
internal import FoundationEssentials

/// A note that has all the words that were asked for.
public struct SearchHit: Sendable, Hashable {
    public var path: RemotePath
    /// The first line with a word in it, from 0; nil when the words are in the name alone.
    public var line: Int?
    /// Where that word begins in the line, in bytes.
    public var column: Int
    /// The line, shortened around the word; as it is in the note, not made safe for a screen.
    public var excerpt: String
    /// Where the words stand in the excerpt, in UTF-8 offsets, ascending.
    public var matches: [Range<Int>]
}

extension LocalCopy {
    /// The notes that have all of these words in their name or text, whole or as a part of a word; case is
    /// ignored. Those seen last come first.
    ///
    /// - Parameters:
    ///   - query: Words, with blanks between them.
    ///   - limit: How many hits, at most.
    public func search(_ query: String, limit: Int = 200) throws -> [SearchHit] {
        let query = SearchQuery(query)
        guard !query.words.isEmpty else { return [] }
        let rows = try read { database in
            if let expression = query.expression {
                return try database.rows(
                    """
                    SELECT versions.path, versions.body FROM words
                    JOIN versions ON versions.id = words.rowid
                    WHERE words MATCH ? ORDER BY words.rowid DESC LIMIT ?
                    """, .text(expression), .integer(Int64(limit))
                ) { ($0.text(0), $0.data(1)) }
            }
            // Too short for the index. The notes are read one after the other.
            return try database.rows(
                """
                SELECT versions.path, versions.body FROM indexed
                JOIN versions ON versions.id = indexed.version
                WHERE versions.path LIKE ? ESCAPE '\\' OR CAST(versions.body AS TEXT) LIKE ? ESCAPE '\\'
                ORDER BY indexed.version DESC LIMIT ?
                """, .text(query.pattern), .text(query.pattern), .integer(Int64(limit))
            ) { ($0.text(0), $0.data(1)) }
        }
        return rows.compactMap { path, body in
            guard let path = try? RemotePath(validating: path) else { return nil }
            return query.hit(at: path, body)
        }
    }
}

extension LocalCopy {
    /// Lets the words of a version be found, in the place of those of the version before.
    static func index(_ id: Int64, at path: RemotePath, _ data: Data, in database: Database) throws
    {
        let old = try database.first(
            "SELECT version FROM indexed WHERE path = ?", .text(path.string),
            read: { $0.integer(0) })
        guard old != id else { return }
        try unindex(path, in: database)
        // Only UTF-8 has words.
        guard String(validating: data, as: UTF8.self) != nil else { return }
        try database.run(
            "INSERT OR REPLACE INTO indexed (path, version) VALUES (?, ?)", .text(path.string),
            .integer(id))
        try database.run(
            "INSERT INTO words (rowid, name, body) SELECT id, name, body FROM searchable WHERE id = ?",
            .integer(id))
    }

    /// Lets the words of a file be found whose text is here already: it is back, or was saved out of a
    /// damaged database.
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

    /// Lets the words of a note be found no more.
    static func unindex(_ path: RemotePath, in database: Database) throws {
        let old = try database.first(
            "SELECT version FROM indexed WHERE path = ?", .text(path.string),
            read: { $0.integer(0) })
        guard let old else { return }
        try database.run(
            """
            INSERT INTO words (words, rowid, name, body)
            SELECT 'delete', id, name, body FROM searchable WHERE id = ?
            """, .integer(old))
        try database.run("DELETE FROM indexed WHERE path = ?", .text(path.string))
    }
}
