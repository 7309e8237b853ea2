import Foundation

@testable import ByteClub
@testable import ClubAccess

/// As much of JSON Schema (draft 2020-12) as the schema of `config.yml` is written in. Another keyword is a
/// failure, not ignored.
struct JSONSchema {
    private let root: Any

    struct UnknownKeyword: Error {
        let keyword: String
    }

    init(_ text: String) throws {
        root = try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    /// Whether a YAML text is of this form.
    func accepts(_ yaml: String) throws -> Bool {
        try accepts(try YAMLNode.parse(yaml)?.json ?? .null, root)
    }

    private func accepts(_ value: YAMLNode.JSON, _ schema: Any) throws -> Bool {
        if let isAllowed = schema as? Bool { return isAllowed }
        let schema = schema as? [String: Any] ?? [:]
        for (keyword, demand) in schema {
            guard try meets(value, keyword, demand, of: schema) else { return false }
        }
        return true
    }

    private func meets(
        _ value: YAMLNode.JSON, _ keyword: String, _ demand: Any, of schema: [String: Any]
    ) throws -> Bool {
        switch (keyword, value) {
        case ("$schema", _), ("title", _), ("description", _): return true
        case ("type", _):
            let types = demand as? [String] ?? [demand as? String ?? ""]
            return types.contains { value.types.contains($0) }
        case ("enum", _):
            guard case .string(let text) = value else { return false }
            return (demand as? [String])?.contains(text) == true
        case ("anyOf", _):
            return try (demand as? [Any] ?? []).contains { try accepts(value, $0) }
        case ("pattern", .string(let text)):
            return text.range(of: demand as? String ?? "", options: .regularExpression) != nil
        case ("minimum", .number(let number)):
            return number >= (demand as? NSNumber)?.doubleValue ?? 0
        case ("maximum", .number(let number)):
            return number <= (demand as? NSNumber)?.doubleValue ?? 0
        case ("minItems", .array(let items)): return items.count >= demand as? Int ?? 0
        case ("items", .array(let items)): return try items.allSatisfy { try accepts($0, demand) }
        case ("required", .object(let fields)):
            return (demand as? [String] ?? []).allSatisfy { fields[$0] != nil }
        case ("propertyNames", .object(let fields)):
            return try fields.keys.allSatisfy { try accepts(.string($0), demand) }
        case ("properties", .object(let fields)):
            return try (demand as? [String: Any] ?? [:]).allSatisfy { name, schema in
                try fields[name].map { try accepts($0, schema) } ?? true
            }
        case ("additionalProperties", .object(let fields)):
            let known = schema["properties"] as? [String: Any] ?? [:]
            return try fields.allSatisfy { name, field in
                try known[name] != nil || accepts(field, demand)
            }
        case ("pattern", _), ("minimum", _), ("maximum", _), ("minItems", _), ("items", _),
            ("required", _), ("propertyNames", _), ("properties", _), ("additionalProperties", _):
            return true
        default: throw UnknownKeyword(keyword: keyword)
        }
    }
}

extension YAMLNode {
    /// What a schema is asked about.
    indirect enum JSON {
        case null, bool
        case number(Double)
        case string(String)
        case array([JSON])
        case object([String: JSON])

        var types: Set<String> {
            switch self {
            case .null: ["null"]
            case .bool: ["boolean"]
            case .number(let number):
                number == number.rounded() ? ["number", "integer"] : ["number"]
            case .string: ["string"]
            case .array: ["array"]
            case .object: ["object"]
            }
        }
    }

    /// By the core schema of YAML 1.2, as editors read it.
    var json: JSON {
        switch content {
        case .sequence(let items): .array(items.map(\.json))
        case .mapping(let pairs, _):
            .object(
                Dictionary(
                    pairs.map { ($0.key.scalar ?? "", $0.value.json) },
                    uniquingKeysWith: { first, _ in first }))
        case .scalar where isNull: .null
        case .scalar("true", isPlain: true), .scalar("false", isPlain: true): .bool
        case .scalar(let text, isPlain: true) where Double(text) != nil && text != "nan":
            .number(Double(text) ?? 0)
        case .scalar(let text, _): .string(text)
        }
    }
}
