/// A union of the wire format: an object with a `.tag`, and beside it either the value under a key
/// named like the tag, or the fields of a struct.
///
/// Members without a value may also be the bare tag. Unknown tags decode as `other`, since Dropbox
/// may add some at any time.
public protocol TaggedUnion: Codable, Hashable, Sendable {
    /// This union's tag, followed by the tags of the unions inside it.
    var tags: [String] { get }
}

/// The error union of a route.
public protocol RouteError: TaggedUnion, Error {}

extension TaggedUnion {
    /// The tags joined as Dropbox joins them in `error_summary`: `path/not_found/`.
    ///
    /// Dropbox appends a varying number of dots; do not compare the whole string.
    public var summary: String { tags.map { $0 + "/" }.joined() }
}

/// A union whose members mostly have no value.
protocol SimpleTags: TaggedUnion {
    /// The members without a value, by tag.
    static var simple: [String: Self] { get }
    static func other(_ tag: String) -> Self
}

extension SimpleTags {
    static func simple(_ tag: String) -> Self { simple[tag] ?? other(tag) }

    /// The tag of a member without a value.
    var simpleTag: String {
        Self.simple.first { $0.value == self }?.key ?? "other"
    }
}

/// Decodes a union from an object or a bare tag.
struct UnionReader {
    let tag: String
    private let decoder: any Decoder
    private let container: KeyedDecodingContainer<NamedKey>?

    init(_ decoder: any Decoder) throws {
        self.decoder = decoder
        if let bare = try? decoder.singleValueContainer().decode(String.self) {
            tag = bare
            container = nil
            return
        }
        let container = try decoder.container(keyedBy: NamedKey.self)
        guard container.contains(.tag) else {
            throw ArgumentError(
                field: ArgumentError.name(of: decoder.codingPath), problem: "missing '.tag' key")
        }
        tag = try container.decode(String.self, forKey: .tag)
        self.container = container
    }

    /// The value under the key named like the tag.
    func value<Value: Decodable>(as _: Value.Type = Value.self) throws -> Value {
        guard let container else {
            throw ArgumentError(
                field: ArgumentError.name(of: decoder.codingPath),
                problem: "expected object for '\(tag)', got symbol")
        }
        return try container.decode(Value.self, forKey: NamedKey(tag))
    }

    /// The value, or nil if it is absent or null.
    func optionalValue<Value: Decodable>(as _: Value.Type = Value.self) throws -> Value? {
        try container?.decodeIfPresent(Value.self, forKey: NamedKey(tag))
    }

    /// The struct whose fields lie beside the tag.
    func fields<Value: Decodable>(as _: Value.Type = Value.self) throws -> Value {
        guard container != nil else {
            throw ArgumentError(
                field: ArgumentError.name(of: decoder.codingPath),
                problem: "expected object for '\(tag)', got symbol")
        }
        return try Value(from: decoder)
    }

    /// Rejects an unknown tag in an argument.
    func unknownTag() -> ArgumentError {
        ArgumentError(
            field: ArgumentError.name(of: decoder.codingPath), problem: "unknown tag '\(tag)'")
    }
}

extension Encoder {
    /// Encodes a member without a value.
    func encodeUnion(_ tag: String) throws {
        var container = container(keyedBy: NamedKey.self)
        try container.encode(tag, forKey: .tag)
    }

    /// Encodes a member with its value under the key named like the tag; nil is left out.
    func encodeUnion(_ tag: String, _ value: (some Encodable)?) throws {
        var container = container(keyedBy: NamedKey.self)
        try container.encode(tag, forKey: .tag)
        try container.encodeIfPresent(value, forKey: NamedKey(tag))
    }

    /// Encodes a member with the fields of its struct beside the tag.
    func encodeUnion(_ tag: String, fields: some Encodable) throws {
        try encodeUnion(tag)
        try fields.encode(to: self)
    }
}

/// A union of an argument whose members have no values, and to which none are added.
protocol ArgumentTag: RawRepresentable<String>, CaseIterable, Codable, Hashable, Sendable {}

extension ArgumentTag {
    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        guard let value = Self(rawValue: union.tag) else { throw union.unknownTag() }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encodeUnion(rawValue)
    }
}
