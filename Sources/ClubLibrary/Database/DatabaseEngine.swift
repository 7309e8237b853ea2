internal import CSQLite

/// The database under every local copy, for reports of what a program runs on.
package enum DatabaseEngine {
    /// E.g. `SQLite 3.40.1`.
    package static var version: String { "SQLite " + String(cString: sqlite3_libversion()) }
}
