public struct CreateFolderArg: Codable, Hashable, Sendable {
    public var path: String
    public var autorename: Bool

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case autorename
    }

    public init(path: String, autorename: Bool = false) {
        self.path = path
        self.autorename = autorename
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        path = try fields.path(.path, .path)
        autorename = try fields.value(.autorename, default: false)
    }
}

public struct CreateFolderResult: Codable, Hashable, Sendable {
    public var metadata: FolderMetadata

    public init(metadata: FolderMetadata) { self.metadata = metadata }
}

public struct DeleteArg: Codable, Hashable, Sendable {
    public var path: String
    /// Delete only if the file still has this revision; not for folders.
    public var parentRevision: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case parentRevision = "parent_rev"
    }

    public init(path: String, parentRevision: String? = nil) {
        self.path = path
        self.parentRevision = parentRevision
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        path = try fields.path(.path, .pathOrID)
        parentRevision = try fields.revision(.parentRevision)
    }
}

/// What was deleted.
public struct DeleteResult: Codable, Hashable, Sendable {
    public var metadata: Metadata

    public init(metadata: Metadata) { self.metadata = metadata }
}

/// The source and destination of a move or copy.
public struct RelocationArg: Codable, Hashable, Sendable {
    public var fromPath: String
    public var toPath: String
    public var autorename: Bool

    enum CodingKeys: String, CodingKey, CaseIterable {
        case fromPath = "from_path"
        case toPath = "to_path"
        case autorename
        case allowSharedFolder = "allow_shared_folder"
        case allowOwnershipTransfer = "allow_ownership_transfer"
    }

    public init(fromPath: String, toPath: String, autorename: Bool = false) {
        self.fromPath = fromPath
        self.toPath = toPath
        self.autorename = autorename
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        fromPath = try fields.path(.fromPath, .pathOrID)
        toPath = try fields.path(.toPath, .pathOrID)
        autorename = try fields.value(.autorename, default: false)
        _ = try fields.value(.allowSharedFolder, default: false)
        _ = try fields.value(.allowOwnershipTransfer, default: false)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fromPath, forKey: .fromPath)
        try container.encode(toPath, forKey: .toPath)
        try container.encode(autorename, forKey: .autorename)
    }
}

public struct RelocationResult: Codable, Hashable, Sendable {
    public var metadata: Metadata

    public init(metadata: Metadata) { self.metadata = metadata }
}

public struct RestoreArg: Codable, Hashable, Sendable {
    public var path: String
    public var revision: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case revision = "rev"
    }

    public init(path: String, revision: String) {
        self.path = path
        self.revision = revision
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        path = try fields.path(.path, .path)
        let _: String = try fields.required(.revision)
        revision = try fields.revision(.revision) ?? ""
    }
}
