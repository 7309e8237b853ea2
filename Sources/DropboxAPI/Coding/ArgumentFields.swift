/// The fields of a call's argument, decoded as strictly as Dropbox decodes them.
///
/// An unknown field, a missing one, a wrong type and a value out of range are each an
/// ``ArgumentError`` naming the field. Results are decoded with plain `Codable` instead: Dropbox
/// may add fields at any time, and clients ignore unknown ones.
struct ArgumentFields<Key: CodingKey & CaseIterable> {
    private let container: KeyedDecodingContainer<Key>
    private let path: [any CodingKey]

    /// - Parameter inherited: Fields of the same object that another reader decodes.
    init(_ decoder: any Decoder, _: Key.Type, inherited: [any CodingKey] = []) throws {
        container = try decoder.container(keyedBy: Key.self)
        path = decoder.codingPath
        let known = Set(Key.allCases.map(\.stringValue) + inherited.map(\.stringValue) + [".tag"])
        let present = try decoder.container(keyedBy: NamedKey.self).allKeys.map(\.stringValue)
        if let stranger = present.filter({ !known.contains($0) }).min() {
            throw ArgumentError(
                field: ArgumentError.name(of: path), problem: "unknown field '\(stranger)'")
        }
    }

    func required<Value: Decodable>(_ key: Key) throws -> Value {
        try naming(key, Value.self) { try container.decode(Value.self, forKey: key) }
    }

    func optional<Value: Decodable>(_ key: Key) throws -> Value? {
        try naming(key, Value.self) { try container.decodeIfPresent(Value.self, forKey: key) }
    }

    /// The value, or the specification's default.
    func value<Value: Decodable>(_ key: Key, default standard: Value) throws -> Value {
        guard container.contains(key) else { return standard }
        return try required(key)
    }

    /// Adds the field's name to an error without one: for a number out of range the decoder only
    /// says that the JSON is invalid.
    private func naming<Value, Result>(
        _ key: Key, _: Value.Type, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as ArgumentError {
            throw error
        } catch let error as DecodingError {
            guard case .dataCorrupted(let context) = error, context.codingPath.isEmpty else {
                throw error
            }
            throw failure(key, ArgumentError.expectation(of: Value.self))
        } catch {
            throw failure(key, ArgumentError.expectation(of: Value.self))
        }
    }

    func integer<Value: FixedWidthInteger & Decodable & Sendable>(
        _ key: Key, in range: ClosedRange<Value>
    ) throws -> Value? {
        guard let value: Value = try optional(key) else { return nil }
        guard range.contains(value) else {
            throw failure(
                key, "\(value) is not within range [\(range.lowerBound), \(range.upperBound)]")
        }
        return value
    }

    func path(_ key: Key, _ pattern: PathPattern) throws -> String {
        let value: String = try required(key)
        return try checked(value, key, pattern)
    }

    func optionalPath(_ key: Key, _ pattern: PathPattern) throws -> String? {
        guard let value: String = try optional(key) else { return nil }
        return try checked(value, key, pattern)
    }

    func revision(_ key: Key) throws -> String? {
        guard let value: String = try optional(key) else { return nil }
        if let problem = Revisions.problem(with: value) { throw failure(key, problem) }
        return value
    }

    func contentHash(_ key: Key) throws -> ContentHash? {
        guard let value: String = try optional(key) else { return nil }
        guard value.utf8.count == 64 else {
            let bound = value.utf8.count < 64 ? "at least" : "at most"
            throw failure(key, "'\(value)' must be \(bound) 64 characters, got \(value.utf8.count)")
        }
        guard let hash = ContentHash(value) else {
            throw failure(key, "'\(value)' is not a hexadecimal hash")
        }
        return hash
    }

    /// A field that this specification has but none of our servers or clients uses: any value but
    /// null is rejected.
    func refuse(_ key: Key) throws {
        if container.contains(key), try !container.decodeNil(forKey: key) {
            throw failure(key, "not supported here")
        }
    }

    func failure(_ key: Key, _ problem: String) -> ArgumentError {
        ArgumentError(field: ArgumentError.name(of: path + [key]), problem: problem)
    }

    private func checked(_ value: String, _ key: Key, _ pattern: PathPattern) throws -> String {
        guard pattern.matches(value) else {
            throw failure(key, "'\(value)' did not match pattern '\(pattern.expression)'")
        }
        return value
    }
}

/// A key known only by its name.
struct NamedKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }

    static let tag = NamedKey(".tag")
}

/// The format of a revision: `[0-9a-f]{9,}`.
enum Revisions {
    static func problem(with value: String) -> String? {
        if value.utf8.count < 9 {
            return "'\(value)' must be at least 9 characters, got \(value.utf8.count)"
        }
        let isHexadecimal = value.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
        }
        return isHexadecimal ? nil : "'\(value)' did not match pattern '[0-9a-f]+'"
    }
}
