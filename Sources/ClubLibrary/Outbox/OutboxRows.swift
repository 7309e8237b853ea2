internal import ClubStore
internal import FoundationEssentials

/// The outbox's rows in the database.
enum OutboxRows {
    private static let columns = """
        id, action, path, destination, mode, base_revision, base_hash, base_change, size, hash, modified,
        is_sending, attempts, problem, made
        """

    static func all(in database: Database) throws -> [WaitingChange] {
        try database.rows("SELECT \(columns) FROM outbox ORDER BY id") { change($0) }
            .compactMap { $0 }
    }

    static func one(_ id: WaitingChange.ID, in database: Database) throws -> WaitingChange? {
        try database.first(
            "SELECT \(columns) FROM outbox WHERE id = ?", .integer(id), read: { change($0) }) ?? nil
    }

    private static func change(_ row: Row) -> WaitingChange? {
        guard let path = try? RemotePath(validating: row.text(2)) else { return nil }
        let base: WaitingChange.Base? =
            row.optionalInteger(7).map { .change($0) }
            ?? row.optionalText(5).map {
                .state(Revision(rawValue: $0), contentHash: row.optionalText(6))
            }
        let action: WaitingChange.Action
        switch row.text(1) {
        case "write":
            action = .write(mode(row.text(4), base))
        case "move":
            guard let destination = try? RemotePath(validating: row.text(3)) else { return nil }
            action = .move(to: destination)
        case "delete": action = .delete
        default: return nil
        }
        return WaitingChange(
            id: row.integer(0), action: action, path: path, base: base, byteCount: row.integer(8),
            contentHash: row.optionalText(9), modified: row.date(10),
            date: row.optionalInteger(14) == nil ? row.date(10) : row.date(14),
            isSending: row.integer(11) != 0,
            attempts: Int(row.integer(12)), problem: row.optionalText(13))
    }

    private static func mode(_ name: String, _ base: WaitingChange.Base?) -> RemoteWriteMode {
        switch (name, base) {
        case ("overwrite", _): .overwrite
        case ("create", _): .create
        case ("update", .state(let revision, let hash)): .update(revision, contentHash: hash)
        case ("update", .change(let id)): .update(.waiting(for: id))
        // Without a base it must not replace anything.
        default: .add
        }
    }

    /// - Returns: The number of the new change.
    static func insert(_ change: NewChange, in database: Database) throws -> WaitingChange.ID {
        var (revision, hash, baseChange): (String?, String?, Int64?) = (nil, nil, nil)
        switch change.base {
        case .state(let state, let contentHash):
            (revision, hash) = (state.rawValue, contentHash)
        case .change(let id): baseChange = id
        case nil: break
        }
        try database.run(
            """
            INSERT INTO outbox (id, action, path, destination, mode, base_revision, base_hash, base_change,
                size, hash, modified, made, attempts, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .integer(orNull: change.id), .text(change.action), .text(change.path.string),
            .text(orNull: change.destination?.string), .text(orNull: change.mode),
            .text(orNull: revision), .text(orNull: hash), .integer(orNull: baseChange),
            .integer(change.byteCount), .text(orNull: change.contentHash),
            .date(change.modified ?? change.date), .date(change.date),
            .integer(change.wasAttempted ? 1 : 0), change.body.map(Value.blob) ?? .null)
        return database.lastRow
    }

    struct NewChange {
        /// Nil for the next number.
        var id: WaitingChange.ID?
        var action: String
        var path: RemotePath
        var destination: RemotePath?
        var mode: String?
        var base: WaitingChange.Base?
        var byteCount: Int64
        var contentHash: String?
        /// Of the file; nil where the change makes it.
        var modified: Date?
        /// When the change was made.
        var date: Date
        var wasAttempted = false
        var body: Data?
    }

    /// The bytes that a change writes; nil if it writes none.
    static func body(of id: WaitingChange.ID, in database: Database) throws -> Data? {
        try database.first(
            "SELECT body FROM outbox WHERE id = ? AND body IS NOT NULL", .integer(id),
            read: { $0.data(0) })
    }

    /// Whether it was never sent, and no other change is based on it.
    static func isUntouched(_ change: WaitingChange, in database: Database) throws -> Bool {
        guard change.attempts == 0, !change.isSending else { return false }
        return try database.first(
            "SELECT 1 FROM outbox WHERE base_change = ? LIMIT 1", .integer(change.id),
            read: { _ in true }) == nil
    }

    static func remove(_ id: WaitingChange.ID, in database: Database) throws {
        try database.run("DELETE FROM outbox WHERE id = ?", .integer(id))
    }

    /// Removes the base of changes whose base change has no result.
    static func orphan(_ change: WaitingChange.ID, in database: Database) throws {
        try database.run(
            "UPDATE outbox SET base_change = NULL WHERE base_change = ?", .integer(change))
    }

    /// Updates the changes based on one that has arrived, and stores its result for later lookups.
    static func rebase(
        on change: WaitingChange.ID, _ file: RemoteFile, in database: Database
    ) throws {
        try database.run(
            """
            UPDATE outbox SET base_change = NULL, base_revision = ?, base_hash = ?, path = ?
            WHERE base_change = ?
            """, .text(file.revision.rawValue), .text(orNull: file.contentHash),
            .text(file.path.string), .integer(change))
        try database.run(
            """
            INSERT OR REPLACE INTO sent (id, path, revision, size, modified, hash)
            VALUES (?, ?, ?, ?, ?, ?)
            """, .integer(change), .text(file.path.string), .text(file.revision.rawValue),
            .integer(file.byteCount), .date(file.modified), .text(orNull: file.contentHash))
        try database.execute(
            """
            DELETE FROM sent WHERE id < (SELECT id FROM sent ORDER BY id DESC LIMIT 1 OFFSET 10000)
            """)
    }

    static func sentFile(for change: WaitingChange.ID, in database: Database) throws -> RemoteFile?
    {
        try database.first(
            "SELECT path, revision, size, modified, hash FROM sent WHERE id = ?", .integer(change)
        ) { row -> RemoteFile? in
            guard let path = try? RemotePath(validating: row.text(0)) else { return nil }
            return RemoteFile(
                path: path, revision: Revision(rawValue: row.text(1)), byteCount: row.integer(2),
                modified: row.date(3), contentHash: row.optionalText(4))
        } ?? nil
    }
}
