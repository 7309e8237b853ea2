internal import CSQLite

/// What SQLite refused, and while doing what.
struct DatabaseError: Error, CustomStringConvertible {
    /// SQLite's primary result code.
    let code: Int32
    /// SQLite's words, for logs.
    let detail: String
    /// The statement, or what was being attempted.
    let operation: String

    var description: String { "\(operation): \(detail) (SQLite \(code))" }

    /// The file holds no database, or a broken one.
    var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

    /// Another program has it, and does not let go.
    var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }

    /// Nothing can be written there.
    var isReadOnly: Bool {
        code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_PERM
            || code == SQLITE_AUTH
    }
}
