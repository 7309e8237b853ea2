/// Why there is no thumbnail: the error of `get_thumbnail_v2`, and of an entry of a batch.
public enum ThumbnailError: RouteError, SimpleTags {
    case path(LookupError)
    case unsupportedExtension
    case unsupportedImage
    case encryptedContent
    case conversionError
    case accessDenied
    case notFound
    case other(String)

    static let simple: [String: Self] = [
        "unsupported_extension": .unsupportedExtension, "unsupported_image": .unsupportedImage,
        "encrypted_content": .encryptedContent, "conversion_error": .conversionError,
        "access_denied": .accessDenied, "not_found": .notFound,
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

/// Why `get_thumbnail_batch` fails as a whole.
public enum GetThumbnailBatchError: RouteError {
    /// More than 25 entries.
    case tooManyFiles
    case other(String)

    public var tags: [String] {
        switch self {
        case .tooManyFiles: ["too_many_files"]
        case .other(let tag): [tag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let tag = try UnionReader(decoder).tag
        self = tag == "too_many_files" ? .tooManyFiles : .other(tag)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.encodeUnion(tags[0]) }
}
