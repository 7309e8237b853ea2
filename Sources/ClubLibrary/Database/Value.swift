internal import CByteClubSQLite
internal import FoundationEssentials

/// A value for a statement.
enum Value {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)

    static func text(orNull text: String?) -> Value { text.map(Value.text) ?? .null }
    static func integer(orNull number: Int64?) -> Value { number.map(Value.integer) ?? .null }
    static func date(_ date: Date) -> Value {
        .integer(Int64(clamping: date.timeIntervalSince1970))
    }

    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    guard let base = characters.baseAddress else {
                        return byteclub_sqlite_bind_text(statement, index, "", 0)
                    }
                    return byteclub_sqlite_bind_text(statement, index, base, characters.count)
                }
            }
        case .blob(let data):
            return data.withUnsafeBytes {
                byteclub_sqlite_bind_blob(statement, index, $0.baseAddress, $0.count)
            }
        }
    }
}

extension Int64 {
    /// A server may report any number of seconds.
    init(clamping seconds: Double) {
        self = seconds.isNaN ? 0 : Int64(Swift.max(-9e15, Swift.min(9e15, seconds)))
    }
}

/// A row of a result; valid only while it is read.
struct Row {
    let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    func data(_ column: Int32) -> Data {
        guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }

    func date(_ column: Int32) -> Date {
        Date(timeIntervalSince1970: Double(integer(column)))
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}
