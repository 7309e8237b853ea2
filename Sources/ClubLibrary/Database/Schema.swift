/// The tables of a club's database, and their migrations.
///
/// The version is stored in `user_version`. Migrations are only added: files of released versions stay
/// readable.
enum Schema {
    /// Marks the file as ours, for `file(1)` and for this program: “BClb”.
    static let applicationID: Int64 = 0x4243_6c62

    static var version: Int64 { Int64(steps.count) }

    /// Migrates a database to the newest version, in one transaction.
    ///
    /// - Throws: `LibraryError.newer` if a newer version has written it.
    static func migrate(_ database: Database) throws {
        let found = try database.first("PRAGMA user_version", read: { $0.integer(0) }) ?? 0
        guard found <= version else { throw LibraryError.newer(version: found) }
        guard found < version else { return }
        try database.transaction {
            // Another program may have migrated it meanwhile.
            let found = try database.first("PRAGMA user_version ", read: { $0.integer(0) }) ?? 0
            guard found < version else { return }
            for step in steps[Int(max(0, found))...] { try database.execute(step) }
            if found == 0 { try seedNumbers(in: database) }
            try database.execute("PRAGMA application_id = \(applicationID)")
            try database.execute("PRAGMA user_version = \(version)")
        }
    }

    /// Starts the numbers of changes above those of any earlier database: editors and drafts still refer to
    /// them.
    private static func seedNumbers(in database: Database) throws {
        try database.execute(
            """
            INSERT INTO sqlite_sequence (name, seq)
            VALUES ('outbox', CAST(strftime('%s', 'now') AS INTEGER))
            """)
    }

    private static let steps = [
        """
        -- What the server has listed, without the changes that wait.
        CREATE TABLE entries (
            path TEXT PRIMARY KEY, is_folder INTEGER NOT NULL DEFAULT 0, revision TEXT NOT NULL DEFAULT '',
            size INTEGER NOT NULL DEFAULT 0, modified INTEGER NOT NULL DEFAULT 0, hash TEXT
        ) WITHOUT ROWID;
        CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

        -- Every text that this machine has seen or sent, newest last. Rows leave by age alone, never because
        -- a server says so.
        CREATE TABLE versions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, revision TEXT NOT NULL, hash TEXT NOT NULL,
            modified INTEGER NOT NULL, seen INTEGER NOT NULL, is_own INTEGER NOT NULL, body BLOB NOT NULL
        );
        CREATE UNIQUE INDEX versions_by_state ON versions (path, revision, hash);
        CREATE INDEX versions_by_hash ON versions (hash);

        -- Which version of each note can be found by its words.
        CREATE TABLE indexed (path TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
        CREATE UNIQUE INDEX indexed_by_version ON indexed (version);
        -- Another `fold` needs another index: what is taken out must be what was put in.
        CREATE VIEW searchable AS
            SELECT versions.id AS id, fold(CAST(body AS TEXT)) AS body FROM versions;
        CREATE VIRTUAL TABLE words USING fts5(
            body, content = 'searchable', content_rowid = 'id', detail = 'full',
            tokenize = 'trigram case_sensitive 1');

        -- What was deleted, here or by another member; the text is in `versions` when it was ever seen.
        CREATE TABLE deletions (
            id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, revision TEXT NOT NULL, hash TEXT,
            size INTEGER NOT NULL, modified INTEGER NOT NULL, deleted INTEGER NOT NULL, is_own INTEGER NOT NULL
        );
        CREATE INDEX deletions_by_path ON deletions (path);

        CREATE TABLE thumbnails (
            path TEXT NOT NULL, revision TEXT NOT NULL, box TEXT NOT NULL, used INTEGER NOT NULL,
            body BLOB NOT NULL, PRIMARY KEY (path, revision, box)
        ) WITHOUT ROWID;

        -- What has not reached the club yet, in the order it goes there.
        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL, path TEXT NOT NULL, destination TEXT,
            mode TEXT, base_revision TEXT, base_hash TEXT, base_change INTEGER, size INTEGER NOT NULL,
            hash TEXT, modified INTEGER NOT NULL, is_sending INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0, problem TEXT, body BLOB
        );
        -- What became of a change, for those who still hold the file as it was while it waited.
        CREATE TABLE sent (
            id INTEGER PRIMARY KEY, path TEXT NOT NULL, revision TEXT NOT NULL, size INTEGER NOT NULL,
            modified INTEGER NOT NULL, hash TEXT
        );
        """,
        """
        -- What this computer has written into the club, in whichever program: its own changes are not new to
        -- the person at it. Without a revision: what it is about to write.
        CREATE TABLE own_writes (
            id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, revision TEXT, hash TEXT,
            begun INTEGER NOT NULL
        );
        """,
        """
        -- When a change was made, beside the date of its file; older ones have that alone.
        ALTER TABLE outbox ADD COLUMN made INTEGER;
        """,
        """
        -- `fold` makes a space of a NUL, where the index has ended before. Taken out is what was put in.
        INSERT INTO words (words, rowid, body)
            SELECT 'delete', id, fold(CAST(substr(body, 1, instr(body, x'00') - 1) AS TEXT))
            FROM versions
            WHERE id IN (SELECT version FROM indexed) AND instr(body, x'00') > 0;
        INSERT INTO words (rowid, body)
            SELECT id, body FROM searchable WHERE id IN (
                SELECT versions.id FROM versions JOIN indexed ON indexed.version = versions.id
                WHERE instr(versions.body, x'00') > 0);
        """,
    ]
}
