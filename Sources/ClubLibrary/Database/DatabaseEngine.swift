internal import CByteClubSQLite

/// The database library of the local copies, for reports about the environment.
package enum DatabaseEngine {
    /// E.g. `SQLite 3.40.1`.
    package static var version: String { "SQLite " + String(cString: sqlite3_libversion()) }
}
