public struct SearchV2Arg: Codable, Hashable, Sendable {
    /// At most 1,000 characters.
    public var query: String
    public var options: SearchOptions?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case query
        case options
        case matchFieldOptions = "match_field_options"
        case includeHighlights = "include_highlights"
    }

    private struct MatchFieldOptions: Codable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case includeHighlights = "include_highlights"
        }

        init(from decoder: any Decoder) throws {
            let fields = try ArgumentFields(decoder, CodingKeys.self)
            _ = try fields.value(.includeHighlights, default: false)
        }

        func encode(to encoder: any Encoder) throws {}
    }

    public init(query: String, options: SearchOptions? = nil) {
        self.query = query
        self.options = options
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        query = try fields.required(.query)
        if query.count > 1000 {
            throw fields.failure(.query, "must be at most 1000 characters, got \(query.count)")
        }
        options = try fields.optional(.options)
        let _: MatchFieldOptions? = try fields.optional(.matchFieldOptions)
        let _: Bool? = try fields.optional(.includeHighlights)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(query, forKey: .query)
        try container.encodeIfPresent(options, forKey: .options)
    }
}

public struct SearchOptions: Codable, Hashable, Sendable {
    public enum Order: String, ArgumentTag {
        case relevance
        case lastModifiedTime = "last_modified_time"
    }

    public enum Status: String, ArgumentTag {
        case active
        case deleted
    }

    public enum Category: String, ArgumentTag {
        case image, document, pdf, spreadsheet, presentation, audio, video, folder, paper, others
    }

    /// The folder to search in; nil for the whole account.
    public var path: String?
    /// 1...1000.
    public var maxResults: UInt64
    public var order: Order?
    public var status: Status
    public var filenameOnly: Bool
    /// Without their dots.
    public var fileExtensions: [String]?
    public var fileCategories: [Category]?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case maxResults = "max_results"
        case order = "order_by"
        case status = "file_status"
        case filenameOnly = "filename_only"
        case fileExtensions = "file_extensions"
        case fileCategories = "file_categories"
        case accountID = "account_id"
    }

    public init(
        path: String? = nil, maxResults: UInt64 = 100, order: Order? = nil,
        status: Status = .active, filenameOnly: Bool = false, fileExtensions: [String]? = nil,
        fileCategories: [Category]? = nil
    ) {
        self.path = path
        self.maxResults = maxResults
        self.order = order
        self.status = status
        self.filenameOnly = filenameOnly
        self.fileExtensions = fileExtensions
        self.fileCategories = fileCategories
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        path = try fields.optionalPath(.path, .rootOrPathOrID)
        maxResults = try fields.integer(.maxResults, in: 1...1000) ?? 100
        order = try fields.optional(.order)
        status = try fields.value(.status, default: .active)
        filenameOnly = try fields.value(.filenameOnly, default: false)
        fileExtensions = try fields.optional(.fileExtensions)
        fileCategories = try fields.optional(.fileCategories)
        let _: String? = try fields.optional(.accountID)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(path, forKey: .path)
        try container.encode(maxResults, forKey: .maxResults)
        try container.encodeIfPresent(order, forKey: .order)
        if status != .active { try container.encode(status, forKey: .status) }
        if filenameOnly { try container.encode(true, forKey: .filenameOnly) }
        try container.encodeIfPresent(fileExtensions, forKey: .fileExtensions)
        try container.encodeIfPresent(fileCategories, forKey: .fileCategories)
    }
}

public struct SearchV2ContinueArg: Codable, Hashable, Sendable {
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

public struct SearchV2Result: Codable, Hashable, Sendable {
    public var matches: [SearchMatchV2]
    public var hasMore: Bool
    public var cursor: String?

    enum CodingKeys: String, CodingKey {
        case matches
        case hasMore = "has_more"
        case cursor
    }

    public init(matches: [SearchMatchV2], hasMore: Bool, cursor: String? = nil) {
        self.matches = matches
        self.hasMore = hasMore
        self.cursor = cursor
    }
}

public struct SearchMatchV2: Codable, Hashable, Sendable {
    /// nil for an unknown kind of match.
    public var metadata: Metadata?
    public var matchType: SearchMatchType?

    enum CodingKeys: String, CodingKey {
        case metadata
        case matchType = "match_type"
    }

    /// The union `MetadataV2` around the metadata.
    private enum Found: Codable {
        case metadata(Metadata)
        case other(String)

        init(from decoder: any Decoder) throws {
            let union = try UnionReader(decoder)
            self = union.tag == "metadata" ? .metadata(try union.value()) : .other(union.tag)
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .metadata(let metadata): try encoder.encodeUnion("metadata", metadata)
            case .other(let tag): try encoder.encodeUnion(tag)
            }
        }
    }

    public init(metadata: Metadata, matchType: SearchMatchType? = nil) {
        self.metadata = metadata
        self.matchType = matchType
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if case .metadata(let found) = try container.decode(Found.self, forKey: .metadata) {
            metadata = found
        }
        matchType = try container.decodeIfPresent(SearchMatchType.self, forKey: .matchType)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let found = metadata.map(Found.metadata) ?? .other("other")
        try container.encode(found, forKey: .metadata)
        try container.encodeIfPresent(matchType, forKey: .matchType)
    }
}

/// Where a search found the query.
public enum SearchMatchType: TaggedUnion, SimpleTags {
    case filename
    case fileContent
    case filenameAndContent
    case imageContent
    case metadata
    case other(String)

    static let simple: [String: Self] = [
        "filename": .filename, "file_content": .fileContent,
        "filename_and_content": .filenameAndContent, "image_content": .imageContent,
        "metadata": .metadata,
    ]

    public var tags: [String] {
        if case .other(let tag) = self { [tag] } else { [simpleTag] }
    }

    public init(from decoder: any Decoder) throws { self = .simple(try UnionReader(decoder).tag) }

    public func encode(to encoder: any Encoder) throws { try encoder.encodeUnion(tags[0]) }
}
