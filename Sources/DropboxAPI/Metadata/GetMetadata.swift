public struct GetMetadataArg: Codable, Hashable, Sendable {
    public var path: String
    public var includeMediaInfo: Bool
    public var includeDeleted: Bool

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case includeMediaInfo = "include_media_info"
        case includeDeleted = "include_deleted"
        case includeHasExplicitSharedMembers = "include_has_explicit_shared_members"
        case includePropertyGroups = "include_property_groups"
    }

    public init(path: String, includeMediaInfo: Bool = false, includeDeleted: Bool = false) {
        self.path = path
        self.includeMediaInfo = includeMediaInfo
        self.includeDeleted = includeDeleted
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        let path: String = try fields.required(.path)
        if path.isEmpty || path == "/" {
            throw fields.failure(.path, "The root folder is unsupported.")
        }
        self.path = try fields.path(.path, .read)
        includeMediaInfo = try fields.value(.includeMediaInfo, default: false)
        includeDeleted = try fields.value(.includeDeleted, default: false)
        _ = try fields.value(.includeHasExplicitSharedMembers, default: false)
        try fields.refuse(.includePropertyGroups)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        if includeMediaInfo { try container.encode(true, forKey: .includeMediaInfo) }
        if includeDeleted { try container.encode(true, forKey: .includeDeleted) }
    }
}

/// Which revisions of a file to list.
public struct ListRevisionsArg: Codable, Hashable, Sendable {
    public enum Mode: String, ArgumentTag {
        case path
        case id
    }

    public var path: String
    public var mode: Mode
    /// 1...100.
    public var limit: UInt64
    public var beforeRevision: String?
    /// Whether to report for each revision that it can be restored.
    public var includeRestorableInfo: Bool

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case mode
        case limit
        case beforeRevision = "before_rev"
        case includeRestorableInfo = "include_restorable_info"
    }

    public init(
        path: String, mode: Mode = .path, limit: UInt64 = 10, beforeRevision: String? = nil,
        includeRestorableInfo: Bool = false
    ) {
        self.path = path
        self.mode = mode
        self.limit = limit
        self.beforeRevision = beforeRevision
        self.includeRestorableInfo = includeRestorableInfo
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        path = try fields.path(.path, .pathOrID)
        mode = try fields.value(.mode, default: .path)
        limit = try fields.integer(.limit, in: 1...100) ?? 10
        beforeRevision = try fields.revision(.beforeRevision)
        includeRestorableInfo = try fields.value(.includeRestorableInfo, default: false)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(mode, forKey: .mode)
        try container.encode(limit, forKey: .limit)
        try container.encodeIfPresent(beforeRevision, forKey: .beforeRevision)
        if includeRestorableInfo { try container.encode(true, forKey: .includeRestorableInfo) }
    }
}

public struct ListRevisionsResult: Codable, Hashable, Sendable {
    public var isDeleted: Bool
    public var serverDeleted: Timestamp?
    /// Newest first.
    public var entries: [FileMetadata]
    public var hasMore: Bool

    enum CodingKeys: String, CodingKey {
        case isDeleted = "is_deleted"
        case serverDeleted = "server_deleted"
        case entries
        case hasMore = "has_more"
    }

    public init(
        isDeleted: Bool, serverDeleted: Timestamp? = nil, entries: [FileMetadata], hasMore: Bool
    ) {
        self.isDeleted = isDeleted
        self.serverDeleted = serverDeleted
        self.entries = entries
        self.hasMore = hasMore
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isDeleted = try container.decode(Bool.self, forKey: .isDeleted)
        serverDeleted = try container.decodeIfPresent(Timestamp.self, forKey: .serverDeleted)
        entries = try container.decode([FileMetadata].self, forKey: .entries)
        hasMore = try container.decodeIfPresent(Bool.self, forKey: .hasMore) ?? false
    }
}
