/// Why a path cannot be written.
public enum WriteError: RouteError, SimpleTags {
    case malformedPath(String?)
    case conflict(WriteConflictError)
    case noWritePermission
    case insufficientSpace
    case disallowedName
    case teamFolder
    case operationSuppressed
    case tooManyWriteOperations
    case accessRestricted
    case other(String)

    static let simple: [String: Self] = [
        "no_write_permission": .noWritePermission, "insufficient_space": .insufficientSpace,
        "disallowed_name": .disallowedName, "team_folder": .teamFolder,
        "operation_suppressed": .operationSuppressed,
        "too_many_write_operations": .tooManyWriteOperations,
        "access_restricted": .accessRestricted,
    ]

    public var tags: [String] {
        switch self {
        case .malformedPath: ["malformed_path"]
        case .conflict(let conflict): ["conflict"] + conflict.tags
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "malformed_path": self = .malformedPath(try union.optionalValue())
        case "conflict": self = .conflict(try union.value())
        default: self = .simple(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .malformedPath(let reason): try encoder.encodeUnion(tags[0], reason)
        case .conflict(let conflict): try encoder.encodeUnion("conflict", conflict)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}

/// What a write conflicts with.
public enum WriteConflictError: RouteError, SimpleTags {
    case file
    case folder
    case fileAncestor
    case other(String)

    static let simple: [String: Self] = [
        "file": .file, "folder": .folder, "file_ancestor": .fileAncestor,
    ]

    public var tags: [String] {
        if case .other(let tag) = self { [tag] } else { [simpleTag] }
    }

    public init(from decoder: any Decoder) throws { self = .simple(try UnionReader(decoder).tag) }

    public func encode(to encoder: any Encoder) throws { try encoder.encodeUnion(tags[0]) }
}
