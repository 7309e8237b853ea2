internal import FoundationEssentials

/// Recovers data that exists only here from an unusable database.
enum Salvage {
    /// Copies the outbox, all texts and what was deleted, as far as they are readable. Changes that are not readable
    /// are in ``OutboxFiles``.
    static func copy(from aside: URL, into database: Database) {
        guard let old = try? Database(path: aside.path) else { return }
        // From both ends: a damaged page in the middle loses only its own rows.
        for order in ["ASC", "DESC"] {
            copyVersions(from: old, order, into: database)
            copyDeletions(from: old, order, into: database)
        }
        copyOutbox(from: old, into: database)
        copySent(from: old, into: database)
        raiseNumbers(from: old, in: database)
    }

    /// Copies the results of sent changes, which editors and drafts still refer to.
    private static func copySent(from old: Database, into database: Database) {
        try? database.transaction {
            _ = try? old.rows(
                "SELECT id, path, revision, size, modified, hash FROM sent ORDER BY id"
            ) { row in
                try? database.run(
                    """
                    INSERT OR IGNORE INTO sent (id, path, revision, size, modified, hash)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """, .integer(row.integer(0)), .text(row.text(1)), .text(row.text(2)),
                    .integer(row.integer(3)), .integer(row.integer(4)),
                    .text(orNull: row.optionalText(5)))
            }
        }
    }

    /// Ensures that no number is used twice, even if the clock was set back.
    private static func raiseNumbers(from old: Database, in database: Database) {
        let last = try? old.first(
            "SELECT seq FROM sqlite_sequence WHERE name = 'outbox'", read: { $0.integer(0) })
        let sent = try? database.first("SELECT max(id) FROM sent", read: { $0.integer(0) })
        try? database.run(
            "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'outbox'",
            .integer(max(last ?? 0, sent ?? 0)))
    }

    private static func copyVersions(
        from old: Database, _ order: String, into database: Database
    ) {
        try? database.transaction {
            _ = try? old.rows(
                """
                SELECT path, revision, hash, modified, seen, is_own, body FROM versions
                ORDER BY id \(order)
                """
            ) { row in
                try? database.run(
                    """
                    INSERT OR IGNORE INTO versions (path, revision, hash, modified, seen, is_own, body)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """, .text(row.text(0)), .text(row.text(1)), .text(row.text(2)),
                    .integer(row.integer(3)), .integer(row.integer(4)), .integer(row.integer(5)),
                    .blob(row.data(6)))
            }
        }
    }

    /// Copies what the trash lists: which notes were deleted, and by whom.
    private static func copyDeletions(
        from old: Database, _ order: String, into database: Database
    ) {
        try? database.transaction {
            _ = try? old.rows(
                """
                SELECT id, path, revision, hash, size, modified, deleted, is_own FROM deletions
                ORDER BY id \(order)
                """
            ) { row in
                try? database.run(
                    """
                    INSERT OR IGNORE INTO deletions
                        (id, path, revision, hash, size, modified, deleted, is_own)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """, .integer(row.integer(0)), .text(row.text(1)), .text(row.text(2)),
                    .text(orNull: row.optionalText(3)), .integer(row.integer(4)),
                    .integer(row.integer(5)), .integer(row.integer(6)), .integer(row.integer(7)))
            }
        }
    }

    private static func copyOutbox(from old: Database, into database: Database) {
        // Databases of earlier programs have no such column.
        let columns = try? old.rows("PRAGMA table_info(outbox)", read: { $0.text(1) })
        let made = columns?.contains("made") == true ? "made" : "NULL"
        try? database.transaction(isDurable: true) {
            _ = try? old.rows(
                """
                SELECT id, action, path, destination, mode, base_revision, base_hash, base_change, size,
                    hash, modified, attempts, body, problem, \(made) FROM outbox ORDER BY id
                """
            ) { row in
                try? database.run(
                    """
                    INSERT INTO outbox (id, action, path, destination, mode, base_revision, base_hash,
                        base_change, size, hash, modified, attempts, body, problem, made)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """, .integer(row.integer(0)), .text(row.text(1)), .text(row.text(2)),
                    .text(orNull: row.optionalText(3)), .text(orNull: row.optionalText(4)),
                    .text(orNull: row.optionalText(5)), .text(orNull: row.optionalText(6)),
                    .integer(orNull: row.optionalInteger(7)), .integer(row.integer(8)),
                    .text(orNull: row.optionalText(9)), .integer(row.integer(10)),
                    .integer(row.integer(11)), row.isNull(12) ? .null : .blob(row.data(12)),
                    .text(orNull: row.optionalText(13)), .integer(orNull: row.optionalInteger(14)))
            }
        }
    }
}
