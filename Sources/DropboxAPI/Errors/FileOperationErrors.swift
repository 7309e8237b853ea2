/// Errors of the routes that create, delete, move, copy and restore.

/// Why `create_folder_v2` fails.
public enum CreateFolderError: RouteError {
    case path(WriteError)
    case other(String)

    public var tags: [String] {
        switch self {
        case .path(let error): ["path"] + error.tags
        case .other(let tag): [tag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        self = union.tag == "path" ? .path(try union.value()) : .other(union.tag)
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .path(let error): try encoder.encodeUnion("path", error)
        case .other(let tag): try encoder.encodeUnion(tag)
        }
    }
}

/// Why `delete_v2` fails.
public enum DeleteError: RouteError, SimpleTags {
    case pathLookup(LookupError)
    case pathWrite(WriteError)
    case tooManyWriteOperations
    case tooManyFiles
    case other(String)

    static let simple: [String: Self] = [
        "too_many_write_operations": .tooManyWriteOperations, "too_many_files": .tooManyFiles,
    ]

    public var tags: [String] {
        switch self {
        case .pathLookup(let error): ["path_lookup"] + error.tags
        case .pathWrite(let error): ["path_write"] + error.tags
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "path_lookup": self = .pathLookup(try union.value())
        case "path_write": self = .pathWrite(try union.value())
        default: self = .simple(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .pathLookup(let error): try encoder.encodeUnion("path_lookup", error)
        case .pathWrite(let error): try encoder.encodeUnion("path_write", error)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}

/// Why `move_v2` and `copy_v2` fail.
public enum RelocationError: RouteError, SimpleTags {
    case fromLookup(LookupError)
    case fromWrite(WriteError)
    case to(WriteError)
    case cannotCopySharedFolder
    case cannotNestSharedFolder
    case cannotMoveFolderIntoItself
    case tooManyFiles
    case duplicatedOrNestedPaths
    case cannotTransferOwnership
    case insufficientQuota
    case internalError
    case cannotMoveSharedFolder
    case other(String)

    static let simple: [String: Self] = [
        "cant_copy_shared_folder": .cannotCopySharedFolder,
        "cant_nest_shared_folder": .cannotNestSharedFolder,
        "cant_move_folder_into_itself": .cannotMoveFolderIntoItself,
        "too_many_files": .tooManyFiles,
        "duplicated_or_nested_paths": .duplicatedOrNestedPaths,
        "cant_transfer_ownership": .cannotTransferOwnership,
        "insufficient_quota": .insufficientQuota, "internal_error": .internalError,
        "cant_move_shared_folder": .cannotMoveSharedFolder,
    ]

    public var tags: [String] {
        switch self {
        case .fromLookup(let error): ["from_lookup"] + error.tags
        case .fromWrite(let error): ["from_write"] + error.tags
        case .to(let error): ["to"] + error.tags
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "from_lookup": self = .fromLookup(try union.value())
        case "from_write": self = .fromWrite(try union.value())
        case "to": self = .to(try union.value())
        default: self = .simple(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .fromLookup(let error): try encoder.encodeUnion("from_lookup", error)
        case .fromWrite(let error): try encoder.encodeUnion("from_write", error)
        case .to(let error): try encoder.encodeUnion("to", error)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}

/// Why `restore` fails.
public enum RestoreError: RouteError, SimpleTags {
    case pathLookup(LookupError)
    case pathWrite(WriteError)
    case invalidRevision
    case inProgress
    case other(String)

    static let simple: [String: Self] = [
        "invalid_revision": .invalidRevision, "in_progress": .inProgress,
    ]

    public var tags: [String] {
        switch self {
        case .pathLookup(let error): ["path_lookup"] + error.tags
        case .pathWrite(let error): ["path_write"] + error.tags
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "path_lookup": self = .pathLookup(try union.value())
        case "path_write": self = .pathWrite(try union.value())
        default: self = .simple(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .pathLookup(let error): try encoder.encodeUnion("path_lookup", error)
        case .pathWrite(let error): try encoder.encodeUnion("path_write", error)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}
