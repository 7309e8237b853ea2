/// Errors of the routes that mostly look up a path.

/// Why `list_folder` and `get_latest_cursor` fail.
public enum ListFolderError: RouteError {
    case path(LookupError)
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

/// Why `get_metadata` fails; the same as ``ListFolderError``.
public typealias GetMetadataError = ListFolderError

/// Why `list_folder/continue` fails.
public enum ListFolderContinueError: RouteError {
    case path(LookupError)
    /// The cursor is no longer valid: list the folder again.
    case reset
    case other(String)

    public var tags: [String] {
        switch self {
        case .path(let error): ["path"] + error.tags
        case .reset: ["reset"]
        case .other(let tag): [tag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "path": self = .path(try union.value())
        case "reset": self = .reset
        default: self = .other(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .path(let error): try encoder.encodeUnion("path", error)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}

/// Why `list_folder/longpoll` fails; `path` does not occur.
public typealias ListFolderLongpollError = ListFolderContinueError

/// Why `download` fails.
public enum DownloadError: RouteError {
    case path(LookupError)
    /// A file that can only be exported, such as a Paper document.
    case unsupportedFile
    case other(String)

    public var tags: [String] {
        switch self {
        case .path(let error): ["path"] + error.tags
        case .unsupportedFile: ["unsupported_file"]
        case .other(let tag): [tag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "path": self = .path(try union.value())
        case "unsupported_file": self = .unsupportedFile
        default: self = .other(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .path(let error): try encoder.encodeUnion("path", error)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}

/// Why `search_v2` and `search/continue_v2` fail.
public enum SearchError: RouteError {
    case path(LookupError)
    case invalidArgument(String?)
    case internalError
    case other(String)

    public var tags: [String] {
        switch self {
        case .path(let error): ["path"] + error.tags
        case .invalidArgument: ["invalid_argument"]
        case .internalError: ["internal_error"]
        case .other(let tag): [tag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "path": self = .path(try union.value())
        case "invalid_argument": self = .invalidArgument(try union.optionalValue())
        case "internal_error": self = .internalError
        default: self = .other(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .path(let error): try encoder.encodeUnion("path", error)
        case .invalidArgument(let reason): try encoder.encodeUnion("invalid_argument", reason)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}

/// Why `list_revisions` fails.
public enum ListRevisionsError: RouteError, SimpleTags {
    case path(LookupError)
    case invalidBeforeRevision
    case beforeRevisionNotSupported
    case other(String)

    static let simple: [String: Self] = [
        "invalid_before_rev": .invalidBeforeRevision,
        "before_rev_not_supported": .beforeRevisionNotSupported,
    ]

    public var tags: [String] {
        switch self {
        case .path(let error): ["path"] + error.tags
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        self = union.tag == "path" ? .path(try union.value()) : .simple(union.tag)
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .path(let error): try encoder.encodeUnion("path", error)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}
