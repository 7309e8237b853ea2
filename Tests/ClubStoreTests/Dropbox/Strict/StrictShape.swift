import Foundation

/// What the API's documentation allows as an argument, checked in parsed JSON without the program's
/// own types.
indirect enum StrictShape: Sendable {
    case bool
    case string(longest: Int = .max)
    case integer(ClosedRange<Int>)
    /// Matched as a whole.
    case pattern(String)
    /// A member without a value may be a bare string; one with a value is an object with `.tag`.
    case union([String: StrictShape?])
    /// A structure; its fields, and the required ones.
    case fields([String: StrictShape], required: Set<String> = [])
    case list(StrictShape, longest: Int)

    static let path = pattern(#"/(.|[\r\n])*|ns:[0-9]+(/(.|[\r\n])*)?"#)
    static let pathOrID = pattern(#"/(.|[\r\n])*|id:.*|ns:[0-9]+(/(.|[\r\n])*)?"#)
    static let pathOrRoot = pattern(#"(/(.|[\r\n])*)?|id:.*|ns:[0-9]+(/(.|[\r\n])*)?"#)
    static let pathToRead = pattern(
        #"/(.|[\r\n])*|id:.*|rev:[0-9a-f]{9,}|ns:[0-9]+(/(.|[\r\n])*)?"#)
    static let revision = pattern("[0-9a-f]{9,}")
    static let hash = pattern("[0-9a-f]{64}")
    static let timestamp = pattern(#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"#)

    /// A union of members without values.
    static func tags(_ names: String...) -> StrictShape {
        .union(Dictionary(uniqueKeysWithValues: names.map { ($0, nil as StrictShape?) }))
    }

    /// What is wrong with a value, in Dropbox's wording; nil if nothing.
    func problem(with value: Any, at place: String = "") -> String? {
        switch self {
        case .bool:
            return Self.isBool(value) ? nil : "\(place): expected boolean"
        case .string(let longest):
            guard let text = value as? String else { return "\(place): expected string" }
            return text.count <= longest ? nil : "\(place): more than \(longest) characters"
        case .integer(let range):
            guard !Self.isBool(value), let number = value as? Int else {
                return "\(place): expected integer"
            }
            return range.contains(number) ? nil : "\(place): \(number) is not within range \(range)"
        case .pattern(let pattern):
            guard let text = value as? String else { return "\(place): expected string" }
            let isMatch =
                text.range(of: "^(?:\(pattern))$", options: .regularExpression)
                == text.startIndex..<text.endIndex
            return isMatch ? nil : "\(place): '\(text)' did not match pattern '\(pattern)'"
        case .list(let shape, let longest):
            guard let items = value as? [Any] else { return "\(place): expected list" }
            guard items.count <= longest else { return "\(place): more than \(longest) items" }
            return items.lazy.compactMap { shape.problem(with: $0, at: place) }.first
        case .union(let members):
            return Self.problem(with: value, at: place, members)
        case .fields(let fields, let required):
            guard let object = value as? [String: Any] else { return "\(place): expected object" }
            return Self.problem(with: object, at: place, fields, required)
        }
    }

    private static func isBool(_ value: Any) -> Bool {
        (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? (value is Bool)
    }

    private static func problem(
        with value: Any, at place: String, _ members: [String: StrictShape?]
    ) -> String? {
        if let tag = value as? String {
            guard let member = members[tag] else { return "\(place): unknown tag '\(tag)'" }
            return member == nil ? nil : "\(place): expected object for '\(tag)', got symbol"
        }
        guard let object = value as? [String: Any], let tag = object[".tag"] as? String else {
            return "\(place): expected object or symbol"
        }
        guard let member = members[tag] else { return "\(place): unknown tag '\(tag)'" }
        guard let member else {
            return object.count == 1 ? nil : "\(place): unknown field beside '\(tag)'"
        }
        guard object.count == 2, let inner = object[tag] else {
            return "\(place): missing field '\(tag)'"
        }
        return member.problem(with: inner, at: place + "." + tag)
    }

    private static func problem(
        with object: [String: Any], at place: String, _ fields: [String: StrictShape],
        _ required: Set<String>
    ) -> String? {
        if let stranger = object.keys.first(where: { fields[$0] == nil }) {
            return "\(place): unknown field '\(stranger)'"
        }
        if let missing = required.first(where: { object[$0] == nil }) {
            return "\(place): missing required field '\(missing)'"
        }
        return object.lazy.compactMap { name, value in
            fields[name]?.problem(with: value, at: place.isEmpty ? name : place + "." + name)
        }.first
    }
}
