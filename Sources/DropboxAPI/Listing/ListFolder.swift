public struct ListFolderArg: Codable, Hashable, Sendable {
    /// The root is "".
    public var path: String
    public var recursive: Bool
    public var includeDeleted: Bool
    public var includeMountedFolders: Bool
    public var includeNonDownloadableFiles: Bool
    /// 1...2000, applied approximately.
    public var limit: UInt32?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case recursive
        case includeMediaInfo = "include_media_info"
        case includeDeleted = "include_deleted"
        case includeHasExplicitSharedMembers = "include_has_explicit_shared_members"
        case includeMountedFolders = "include_mounted_folders"
        case limit
        case sharedLink = "shared_link"
        case includePropertyGroups = "include_property_groups"
        case includeNonDownloadableFiles = "include_non_downloadable_files"
        case includeRestorableInfo = "include_restorable_info"
    }

    public init(
        path: String, recursive: Bool = false, includeDeleted: Bool = false,
        includeMountedFolders: Bool = true, includeNonDownloadableFiles: Bool = true,
        limit: UInt32? = nil
    ) {
        self.path = path
        self.recursive = recursive
        self.includeDeleted = includeDeleted
        self.includeMountedFolders = includeMountedFolders
        self.includeNonDownloadableFiles = includeNonDownloadableFiles
        self.limit = limit
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        path = try fields.path(.path, .rootOrPathOrID)
        recursive = try fields.value(.recursive, default: false)
        includeDeleted = try fields.value(.includeDeleted, default: false)
        includeMountedFolders = try fields.value(.includeMountedFolders, default: true)
        includeNonDownloadableFiles = try fields.value(.includeNonDownloadableFiles, default: true)
        limit = try fields.integer(.limit, in: 1...2000)
        _ = try fields.value(.includeMediaInfo, default: false)
        _ = try fields.value(.includeHasExplicitSharedMembers, default: false)
        _ = try fields.value(.includeRestorableInfo, default: false)
        try fields.refuse(.sharedLink)
        try fields.refuse(.includePropertyGroups)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        if recursive { try container.encode(true, forKey: .recursive) }
        if includeDeleted { try container.encode(true, forKey: .includeDeleted) }
        if !includeMountedFolders { try container.encode(false, forKey: .includeMountedFolders) }
        if !includeNonDownloadableFiles {
            try container.encode(false, forKey: .includeNonDownloadableFiles)
        }
        try container.encodeIfPresent(limit, forKey: .limit)
    }
}

public struct ListFolderContinueArg: Codable, Hashable, Sendable {
    public var cursor: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case cursor
    }

    public init(cursor: String) { self.cursor = cursor }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        cursor = try fields.required(.cursor)
        if cursor.isEmpty {
            throw fields.failure(.cursor, "'' must be at least 1 characters, got 0")
        }
    }
}

/// One page of a folder's entries, or of its changes.
public struct ListFolderResult: Codable, Hashable, Sendable {
    public var entries: [Metadata]
    public var cursor: String
    /// Whether `list_folder/continue` has another page now. A page may be empty and not the last.
    public var hasMore: Bool

    enum CodingKeys: String, CodingKey {
        case entries
        case cursor
        case hasMore = "has_more"
    }

    public init(entries: [Metadata], cursor: String, hasMore: Bool) {
        self.entries = entries
        self.cursor = cursor
        self.hasMore = hasMore
    }
}

public struct ListFolderGetLatestCursorResult: Codable, Hashable, Sendable {
    public var cursor: String

    public init(cursor: String) { self.cursor = cursor }
}

public struct ListFolderLongpollArg: Codable, Hashable, Sendable {
    public var cursor: String
    /// Seconds, 30...480; the server may add up to 90.
    public var timeout: UInt64

    enum CodingKeys: String, CodingKey, CaseIterable {
        case cursor
        case timeout
    }

    public init(cursor: String, timeout: UInt64 = 30) {
        self.cursor = cursor
        self.timeout = timeout
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        cursor = try fields.required(.cursor)
        if cursor.isEmpty {
            throw fields.failure(.cursor, "'' must be at least 1 characters, got 0")
        }
        timeout = try fields.integer(.timeout, in: 30...480) ?? 30
    }
}

public struct ListFolderLongpollResult: Codable, Hashable, Sendable {
    /// Whether `list_folder/continue` may have changes.
    public var changes: Bool
    /// Seconds to wait before the next long poll.
    public var backoff: UInt64?

    public init(changes: Bool, backoff: UInt64? = nil) {
        self.changes = changes
        self.backoff = backoff
    }
}
