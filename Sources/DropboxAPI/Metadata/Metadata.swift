/// The metadata of a file, a folder, or a deleted item.
public enum Metadata: Codable, Hashable, Sendable {
    case file(FileMetadata)
    case folder(FolderMetadata)
    case deleted(DeletedMetadata)
    /// An unknown kind of item.
    case other(String)

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "file": self = .file(try union.fields())
        case "folder": self = .folder(try union.fields())
        case "deleted": self = .deleted(try union.fields())
        default: self = .other(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .file(let file): try encoder.encodeUnion("file", fields: file)
        case .folder(let folder): try encoder.encodeUnion("folder", fields: folder)
        case .deleted(let deleted): try encoder.encodeUnion("deleted", fields: deleted)
        case .other(let tag): try encoder.encodeUnion(tag)
        }
    }
}

public struct FileMetadata: Codable, Hashable, Sendable {
    /// The last component of the path, in its original case.
    public var name: String
    public var pathLower: String?
    /// For display: only the last component is guaranteed to have its original case.
    public var pathDisplay: String?
    public var id: String
    public var clientModified: Timestamp
    public var serverModified: Timestamp
    /// At least nine hexadecimal digits.
    public var revision: String
    public var size: UInt64
    public var contentHash: ContentHash?
    /// False for documents that can only be exported.
    public var isDownloadable: Bool
    public var mediaInfo: MediaInfo?
    /// Whether the revision can be restored; only in a list of revisions that was requested with
    /// it.
    public var isRestorable: Bool?

    enum CodingKeys: String, CodingKey {
        case name
        case pathLower = "path_lower"
        case pathDisplay = "path_display"
        case id
        case clientModified = "client_modified"
        case serverModified = "server_modified"
        case revision = "rev"
        case size
        case contentHash = "content_hash"
        case isDownloadable = "is_downloadable"
        case mediaInfo = "media_info"
        case isRestorable = "is_restorable"
    }

    public init(
        name: String, pathLower: String?, pathDisplay: String?, id: String,
        clientModified: Timestamp, serverModified: Timestamp, revision: String, size: UInt64,
        contentHash: ContentHash? = nil, isDownloadable: Bool = true, mediaInfo: MediaInfo? = nil
    ) {
        self.name = name
        self.pathLower = pathLower
        self.pathDisplay = pathDisplay
        self.id = id
        self.clientModified = clientModified
        self.serverModified = serverModified
        self.revision = revision
        self.size = size
        self.contentHash = contentHash
        self.isDownloadable = isDownloadable
        self.mediaInfo = mediaInfo
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        pathLower = try container.decodeIfPresent(String.self, forKey: .pathLower)
        pathDisplay = try container.decodeIfPresent(String.self, forKey: .pathDisplay)
        id = try container.decode(String.self, forKey: .id)
        clientModified = try container.decode(Timestamp.self, forKey: .clientModified)
        serverModified = try container.decode(Timestamp.self, forKey: .serverModified)
        revision = try container.decode(String.self, forKey: .revision)
        size = try container.decode(UInt64.self, forKey: .size)
        contentHash = try container.decodeIfPresent(ContentHash.self, forKey: .contentHash)
        isDownloadable = try container.decodeIfPresent(Bool.self, forKey: .isDownloadable) ?? true
        mediaInfo = try container.decodeIfPresent(MediaInfo.self, forKey: .mediaInfo)
        isRestorable = try container.decodeIfPresent(Bool.self, forKey: .isRestorable)
    }
}

public struct FolderMetadata: Codable, Hashable, Sendable {
    public var name: String
    public var pathLower: String?
    public var pathDisplay: String?
    public var id: String

    enum CodingKeys: String, CodingKey {
        case name
        case pathLower = "path_lower"
        case pathDisplay = "path_display"
        case id
    }

    public init(name: String, pathLower: String?, pathDisplay: String?, id: String) {
        self.name = name
        self.pathLower = pathLower
        self.pathDisplay = pathDisplay
        self.id = id
    }
}

/// A deleted item, with all its contents.
public struct DeletedMetadata: Codable, Hashable, Sendable {
    public var name: String
    public var pathLower: String?
    public var pathDisplay: String?

    enum CodingKeys: String, CodingKey {
        case name
        case pathLower = "path_lower"
        case pathDisplay = "path_display"
    }

    public init(name: String, pathLower: String?, pathDisplay: String?) {
        self.name = name
        self.pathLower = pathLower
        self.pathDisplay = pathDisplay
    }
}

/// Metadata of a photo's or video's content; only from `get_metadata` and with thumbnails.
public enum MediaInfo: Codable, Hashable, Sendable {
    case pending
    /// Kind is `photo` or `video`; sizes in pixels.
    case metadata(kind: String, width: UInt64?, height: UInt64?)
    case other(String)

    private struct Media: Codable {
        var kind: String
        var dimensions: Dimensions?

        enum CodingKeys: String, CodingKey {
            case kind = ".tag"
            case dimensions
        }
    }

    private struct Dimensions: Codable {
        var height: UInt64
        var width: UInt64
    }

    /// In pixels, where both are known.
    public var dimensions: (width: UInt64, height: UInt64)? {
        guard case .metadata(_, let width?, let height?) = self else { return nil }
        return (width, height)
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "pending": self = .pending
        case "metadata":
            let media: Media = try union.value()
            self = .metadata(
                kind: media.kind, width: media.dimensions?.width, height: media.dimensions?.height)
        default: self = .other(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .pending: try encoder.encodeUnion("pending")
        case .metadata(let kind, let width, let height):
            var dimensions: Dimensions?
            if let width, let height { dimensions = Dimensions(height: height, width: width) }
            try encoder.encodeUnion("metadata", Media(kind: kind, dimensions: dimensions))
        case .other(let tag): try encoder.encodeUnion(tag)
        }
    }
}
