import FoundationEssentials

/// The user info of a cached response, as it is stored in a file: property list values. Other values, and
/// those without string keys, stay in memory.
struct StoredUserInfo: Codable, Hashable, Sendable {
    fileprivate var values: [String: Value]

    fileprivate enum Value: Codable, Hashable, Sendable {
        case text(String)
        case flag(Bool)
        case integer(Int)
        case number(Double)
        case data(Data)
        case date(Date)
        case list([Value])
        case dictionary([String: Value])
    }

    /// Returns nil if nothing can be stored.
    init?(_ userInfo: [AnyHashable: Any]?) {
        guard let userInfo, case .dictionary(let values)? = Value(userInfo), !values.isEmpty else {
            return nil
        }
        self.values = values
    }

    init?(encoded: String) {
        guard let found = try? JSONDecoder().decode(Self.self, from: Data(encoded.utf8)) else {
            return nil
        }
        self = found
    }

    var encoded: String? {
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    var userInfo: [AnyHashable: Any] { values.mapValues(\.any) }
}

extension StoredUserInfo.Value {
    fileprivate init?(_ value: Any) {
        switch value {
        case let value as String: self = .text(value)
        case let value as Bool: self = .flag(value)
        case let value as Int: self = .integer(value)
        case let value as Double: self = .number(value)
        case let value as Data: self = .data(value)
        case let value as Date: self = .date(value)
        case let value as [Any]: self = .list(value.compactMap(Self.init))
        case let value as [AnyHashable: Any]:
            let pairs = value.compactMap { key, value in
                (key.base as? String).flatMap { name in Self(value).map { (name, $0) } }
            }
            self = .dictionary(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
        default: return nil
        }
    }

    fileprivate var any: Any {
        switch self {
        case .text(let value): value
        case .flag(let value): value
        case .integer(let value): value
        case .number(let value): value
        case .data(let value): value
        case .date(let value): value
        case .list(let values): values.map(\.any)
        case .dictionary(let values): values.mapValues(\.any)
        }
    }
}
