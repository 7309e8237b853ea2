internal import CByteClubSQLite

/// `fold(text)` in SQL: applies ``SearchLetters``, so that the index and queries use the same letters.
///
/// A NUL becomes a space: the index would end there. Another `fold` needs a migration in ``Schema``.
enum FoldFunction {
    /// Registers the function with a connection. Safe to be called from a database's own schema: it has no
    /// effects.
    static func register(with handle: OpaquePointer) -> Int32 {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        return sqlite3_create_function_v2(
            handle, "fold", 1, flags, nil,
            { context, _, values in
                guard let context, let value = values?[0], let text = sqlite3_value_text(value)
                else { return sqlite3_result_null(context) }
                let bytes = UnsafeBufferPointer(
                    start: text, count: Int(sqlite3_value_bytes(value)))
                var folded = SearchLetters.folded(String(decoding: bytes, as: UTF8.self))
                for index in folded.indices where folded[index] == 0 {
                    folded[index] = UInt8(ascii: " ")
                }
                folded.withUnsafeBytes {
                    byteclub_sqlite_result_text(context, $0.baseAddress, $0.count)
                }
            }, nil, nil, nil)
    }
}
