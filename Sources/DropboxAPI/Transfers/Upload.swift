/// What to do when the path is taken.
///
/// The same content is not a conflict: nothing is written and the result is the existing metadata
/// (unless `strict_conflict`). A folder always is one.
public enum WriteMode: Codable, Hashable, Sendable {
    /// Fail; with autorename, add a number to the name.
    case add
    /// Replace it.
    case overwrite
    /// Replace it if it still has this revision; with autorename, else create a conflicted copy.
    case update(String)

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "add": self = .add
        case "overwrite": self = .overwrite
        case "update":
            let revision: String = try union.value()
            if let problem = Revisions.problem(with: revision) {
                throw ArgumentError(
                    field: ArgumentError.name(of: decoder.codingPath), problem: problem)
            }
            self = .update(revision)
        default: throw union.unknownTag()
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .add: try encoder.encodeUnion("add")
        case .overwrite: try encoder.encodeUnion("overwrite")
        case .update(let revision): try encoder.encodeUnion("update", revision)
        }
    }
}

/// The destination and options of an upload.
public struct CommitInfo: Codable, Hashable, Sendable {
    public var path: String
    public var mode: WriteMode
    public var autorename: Bool
    public var clientModified: Timestamp?
    public var mute: Bool
    public var strictConflict: Bool

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case mode
        case autorename
        case clientModified = "client_modified"
        case mute
        case propertyGroups = "property_groups"
        case strictConflict = "strict_conflict"
    }

    public init(
        path: String, mode: WriteMode = .add, autorename: Bool = false,
        clientModified: Timestamp? = nil, mute: Bool = false, strictConflict: Bool = false
    ) {
        self.path = path
        self.mode = mode
        self.autorename = autorename
        self.clientModified = clientModified
        self.mute = mute
        self.strictConflict = strictConflict
    }

    public init(from decoder: any Decoder) throws {
        try self.init(from: decoder, inherited: [])
    }

    init(from decoder: any Decoder, inherited: [any CodingKey]) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self, inherited: inherited)
        path = try fields.path(.path, .pathOrID)
        mode = try fields.value(.mode, default: .add)
        autorename = try fields.value(.autorename, default: false)
        clientModified = try fields.optional(.clientModified)
        mute = try fields.value(.mute, default: false)
        strictConflict = try fields.value(.strictConflict, default: false)
        try fields.refuse(.propertyGroups)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(mode, forKey: .mode)
        try container.encode(autorename, forKey: .autorename)
        try container.encodeIfPresent(clientModified, forKey: .clientModified)
        if mute { try container.encode(true, forKey: .mute) }
        if strictConflict { try container.encode(true, forKey: .strictConflict) }
    }
}

/// A commit, and the expected hash of the body; flattened into one object on the wire.
public struct UploadArg: Codable, Hashable, Sendable {
    public var commit: CommitInfo
    public var contentHash: ContentHash?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case contentHash = "content_hash"
    }

    public init(commit: CommitInfo, contentHash: ContentHash? = nil) {
        self.commit = commit
        self.contentHash = contentHash
    }

    public init(from decoder: any Decoder) throws {
        commit = try CommitInfo(from: decoder, inherited: CodingKeys.allCases)
        let fields = try ArgumentFields(
            decoder, CodingKeys.self, inherited: CommitInfo.CodingKeys.allCases)
        contentHash = try fields.contentHash(.contentHash)
    }

    public func encode(to encoder: any Encoder) throws {
        try commit.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(contentHash, forKey: .contentHash)
    }
}
