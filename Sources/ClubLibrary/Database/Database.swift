internal import CByteClubSQLite
internal import FoundationEssentials

/// A connection to a SQLite database; used by one caller at a time.
///
/// Statements are prepared once. Calls block on the disk.
final class Database {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    enum Access {
        case readWrite
        case readOnly
    }

    /// - Parameter path: The path of a file, or `:memory:`.
    init(path: String, access: Access = .readWrite) throws(DatabaseError) {
        var handle: OpaquePointer?
        let flags =
            access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let result = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard result == SQLITE_OK, let handle else {
            let detail = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
            sqlite3_close_v2(handle)
            throw DatabaseError(code: result & 0xff, detail: detail, operation: "open")
        }
        self.handle = handle
        byteclub_sqlite_harden(handle)
        _ = FoldFunction.register(with: handle)
        sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// How long another program may lock the database before a call fails: writing a text of 128 MiB to a
    /// slow disk takes some seconds.
    private static let busyMilliseconds: Int32 = 10_000

    /// The row of the last `INSERT`.
    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The number of rows changed by the last statement.
    var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// Runs statements without values and rows.
    func execute(_ sql: String) throws(DatabaseError) {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, sql) }
    }

    /// Runs a statement and ignores its rows.
    func run(_ sql: String, _ values: Value...) throws(DatabaseError) {
        _ = try rows(sql, values) { _ in }
    }

    /// Runs a statement and reads each of its rows.
    func rows<Element>(
        _ sql: String, _ values: Value..., read: (Row) -> Element
    ) throws(DatabaseError) -> [Element] {
        try rows(sql, values, read: read)
    }

    /// The first row, if there is one.
    func first<Element>(
        _ sql: String, _ values: Value..., read: (Row) -> Element
    ) throws(DatabaseError) -> Element? {
        try rows(sql, values, read: read).first
    }

    func rows<Element>(
        _ sql: String, _ values: [Value], read: (Row) -> Element
    ) throws(DatabaseError) -> [Element] {
        let statement = try prepare(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            let result = value.bind(to: statement, at: Int32(index + 1))
            guard result == SQLITE_OK else { throw error(result, sql) }
        }
        var elements: [Element] = []
        while true {
            let result = sqlite3_step(statement)
            switch result {
            case SQLITE_ROW: elements.append(read(Row(statement: statement)))
            case SQLITE_DONE: return elements
            default: throw error(result, sql)
            }
        }
    }

    /// Runs a transaction.
    ///
    /// - Parameters:
    ///   - isDurable: Whether it must survive a power cut; otherwise only the end of this process.
    ///   - willRollBack: Called before a rollback, while no other connection can write.
    func transaction<Result>(
        isDurable: Bool = false, willRollBack: () -> Void = {}, _ body: () throws -> Result
    ) throws -> Result {
        if isDurable { try execute("PRAGMA synchronous = FULL") }
        defer { if isDurable { try? execute("PRAGMA synchronous = NORMAL") } }
        // Immediate: of two programs that read first, only one could continue to write.
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            willRollBack()
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Reads from one consistent snapshot.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        // Nothing was written, so an error at the end does not matter.
        defer { try? execute("COMMIT") }
        return try body()
    }

    private func prepare(_ sql: String) throws(DatabaseError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let statement else { throw error(result, sql) }
        statements[sql] = statement
        return statement
    }

    private func error(_ result: Int32, _ operation: String) -> DatabaseError {
        DatabaseError(
            code: result & 0xff, detail: String(cString: sqlite3_errmsg(handle)),
            operation: String(operation.prefix(80)))
    }
}
