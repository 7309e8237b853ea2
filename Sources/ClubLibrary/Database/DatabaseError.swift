internal import CByteClubSQLite

/// An error of SQLite, and the operation.
struct DatabaseError: Error, CustomStringConvertible {
    /// SQLite's primary result code.
    let code: Int32
    /// SQLite's message, for logs.
    let detail: String
    /// The statement, or another description of the operation.
    let operation: String

    var description: String { "\(operation): \(detail) (SQLite \(code))" }

    /// The file is not a database, or is damaged.
    var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

    /// Another program holds the lock.
    var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
}
