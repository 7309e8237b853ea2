/// Why a path cannot be read.
public enum LookupError: RouteError, SimpleTags {
    case malformedPath(String?)
    case notFound
    case notFile
    case notFolder
    case restrictedContent
    case unsupportedContentType
    case locked
    case other(String)

    static let simple: [String: Self] = [
        "not_found": .notFound, "not_file": .notFile, "not_folder": .notFolder,
        "restricted_content": .restrictedContent,
        "unsupported_content_type": .unsupportedContentType, "locked": .locked,
    ]

    public var tags: [String] {
        switch self {
        case .malformedPath: ["malformed_path"]
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "malformed_path": self = .malformedPath(try union.optionalValue())
        default: self = .simple(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .malformedPath(let reason): try encoder.encodeUnion(tags[0], reason)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}
