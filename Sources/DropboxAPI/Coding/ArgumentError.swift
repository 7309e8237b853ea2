/// What is wrong with the argument of a call, in Dropbox's wording.
///
/// A server sends it with status 400 as `text/plain`:
/// `Error in call to API function "files/list_folder": request body: limit: 0 is not within range [1, 2000]`.
public struct ArgumentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Dotted path of the invalid field, or nil for the argument as a whole.
    public let field: String?
    /// What is wrong, without the field's name.
    public let problem: String

    public init(field: String? = nil, problem: String) {
        self.field = field
        self.problem = problem
    }

    public var description: String {
        guard let field else { return problem }
        return "\(field): \(problem)"
    }
}

extension ArgumentError {
    /// Describes a decoding error.
    init(_ error: any Error) {
        switch error {
        case let error as ArgumentError:
            self = error
        case DecodingError.keyNotFound(let key, let context):
            self.init(
                field: Self.name(of: context.codingPath),
                problem: "missing required field '\(key.stringValue)'")
        case DecodingError.typeMismatch(let type, let context):
            self.init(
                field: Self.name(of: context.codingPath), problem: Self.expectation(of: type))
        case DecodingError.valueNotFound(let type, let context):
            self.init(
                field: Self.name(of: context.codingPath),
                problem: Self.expectation(of: type) + ", got null")
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            self.init(field: Self.name(of: context.codingPath), problem: context.debugDescription)
        default:
            self.init(problem: "could not decode input as JSON")
        }
    }

    static func name(of path: [any CodingKey]) -> String? {
        path.isEmpty ? nil : path.map(\.stringValue).joined(separator: ".")
    }

    static func expectation(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "expected string"
        case is Bool.Type: "expected boolean"
        case let integer as any FixedWidthInteger.Type: "expected integer in \(range(of: integer))"
        case is any BinaryFloatingPoint.Type: "expected float"
        case is [Any].Type: "expected list"
        default: "expected object"
        }
    }

    private static func range<Integer: FixedWidthInteger>(of _: Integer.Type) -> String {
        "[\(Integer.min), \(Integer.max)]"
    }
}
