public import FoundationEssentials

public enum ThumbnailFormat: String, ArgumentTag {
    case jpeg, png, webp
}

/// The bounding box of a thumbnail, in pixels. Nothing is scaled up, and the aspect ratio is kept.
public enum ThumbnailSize: String, ArgumentTag {
    case w32h32, w64h64, w128h128, w256h256, w480h320, w640h480, w960h640, w1024h768, w2048h1536
    case w3200h2400

    public var pixels: (width: Int, height: Int) {
        switch self {
        case .w32h32: (32, 32)
        case .w64h64: (64, 64)
        case .w128h128: (128, 128)
        case .w256h256: (256, 256)
        case .w480h320: (480, 320)
        case .w640h480: (640, 480)
        case .w960h640: (960, 640)
        case .w1024h768: (1024, 768)
        case .w2048h1536: (2048, 1536)
        case .w3200h2400: (3200, 2400)
        }
    }
}

public enum ThumbnailMode: String, ArgumentTag {
    /// Inside the box: a 6:1 panorama in 256×256 is 256×43.
    case strict
    /// Inside the box or its transpose.
    case bestfit
    /// Just large enough to cover the box or its transpose.
    case fitoneBestfit = "fitone_bestfit"
    /// Not scaled at all.
    case original
}

public enum ThumbnailQuality: String, ArgumentTag {
    case quality80 = "quality_80"
    case quality90 = "quality_90"
}

public struct ThumbnailArg: Codable, Hashable, Sendable {
    public var path: String
    public var format: ThumbnailFormat
    public var size: ThumbnailSize
    public var mode: ThumbnailMode
    public var quality: ThumbnailQuality
    /// Whether the answer's metadata says nothing of the picture's size.
    public var excludesMediaInfo = false

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case format
        case size
        case mode
        case quality
        case excludeMediaInfo = "exclude_media_info"
    }

    public init(
        path: String, format: ThumbnailFormat = .jpeg, size: ThumbnailSize = .w64h64,
        mode: ThumbnailMode = .strict, quality: ThumbnailQuality = .quality80
    ) {
        self.path = path
        self.format = format
        self.size = size
        self.mode = mode
        self.quality = quality
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        path = try fields.path(.path, .read)
        format = try fields.value(.format, default: .jpeg)
        size = try fields.value(.size, default: .w64h64)
        mode = try fields.value(.mode, default: .strict)
        quality = try fields.value(.quality, default: .quality80)
        excludesMediaInfo = try fields.optional(.excludeMediaInfo) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(format, forKey: .format)
        try container.encode(size, forKey: .size)
        try container.encode(mode, forKey: .mode)
        if excludesMediaInfo { try container.encode(true, forKey: .excludeMediaInfo) }
    }
}

public struct ThumbnailV2Arg: Codable, Hashable, Sendable {
    /// A path; shared links are not supported here.
    public var path: String
    public var format: ThumbnailFormat
    public var size: ThumbnailSize
    public var mode: ThumbnailMode
    public var quality: ThumbnailQuality
    /// Whether the answer's metadata says nothing of the picture's size.
    public var excludesMediaInfo = false

    enum CodingKeys: String, CodingKey, CaseIterable {
        case resource
        case format
        case size
        case mode
        case quality
        case excludeMediaInfo = "exclude_media_info"
        // Not in the published specification, but the official Python SDK sends it.
        case preserveTransparency = "preserve_transparency"
    }

    /// The union `PathOrLink`.
    private struct Resource: Codable {
        var path: String

        init(path: String) { self.path = path }

        init(from decoder: any Decoder) throws {
            let union = try UnionReader(decoder)
            switch union.tag {
            case "path":
                path = try union.value()
                guard PathPattern.read.matches(path) else {
                    throw ArgumentError(
                        field: ArgumentError.name(of: decoder.codingPath),
                        problem: "'\(path)' did not match pattern '\(PathPattern.read.expression)'")
                }
            case "link":
                throw ArgumentError(
                    field: ArgumentError.name(of: decoder.codingPath), problem: "not supported here"
                )
            default: throw union.unknownTag()
            }
        }

        func encode(to encoder: any Encoder) throws {
            try encoder.encodeUnion("path", path)
        }
    }

    public init(
        path: String, format: ThumbnailFormat = .jpeg, size: ThumbnailSize = .w64h64,
        mode: ThumbnailMode = .strict, quality: ThumbnailQuality = .quality80
    ) {
        self.path = path
        self.format = format
        self.size = size
        self.mode = mode
        self.quality = quality
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        let resource: Resource = try fields.required(.resource)
        path = resource.path
        format = try fields.value(.format, default: .jpeg)
        size = try fields.value(.size, default: .w64h64)
        mode = try fields.value(.mode, default: .strict)
        quality = try fields.value(.quality, default: .quality80)
        excludesMediaInfo = try fields.optional(.excludeMediaInfo) ?? false
        let _: Bool? = try fields.optional(.preserveTransparency)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Resource(path: path), forKey: .resource)
        try container.encode(format, forKey: .format)
        try container.encode(size, forKey: .size)
        try container.encode(mode, forKey: .mode)
        if excludesMediaInfo { try container.encode(true, forKey: .excludeMediaInfo) }
    }
}

/// The `Dropbox-API-Result` of a thumbnail response.
public struct PreviewResult: Codable, Hashable, Sendable {
    public var fileMetadata: FileMetadata?

    enum CodingKeys: String, CodingKey {
        case fileMetadata = "file_metadata"
    }

    public init(fileMetadata: FileMetadata?) { self.fileMetadata = fileMetadata }
}

public struct GetThumbnailBatchArg: Codable, Hashable, Sendable {
    /// At most 25.
    public var entries: [ThumbnailArg]

    enum CodingKeys: String, CodingKey, CaseIterable {
        case entries
    }

    public init(entries: [ThumbnailArg]) { self.entries = entries }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        entries = try fields.required(.entries)
    }
}

public struct GetThumbnailBatchResult: Codable, Hashable, Sendable {
    /// In the argument's order.
    public var entries: [Entry]

    public init(entries: [Entry]) { self.entries = entries }

    public enum Entry: Codable, Hashable, Sendable {
        case success(FileMetadata, thumbnail: Data)
        case failure(ThumbnailError)
        case other(String)

        private struct Success: Codable {
            var metadata: FileMetadata
            /// Base64.
            var thumbnail: Data
        }

        public init(from decoder: any Decoder) throws {
            let union = try UnionReader(decoder)
            switch union.tag {
            case "success":
                let success: Success = try union.fields()
                self = .success(success.metadata, thumbnail: success.thumbnail)
            case "failure": self = .failure(try union.value())
            default: self = .other(union.tag)
            }
        }

        public func encode(to encoder: any Encoder) throws {
            switch self {
            case .success(let metadata, let thumbnail):
                try encoder.encodeUnion(
                    "success", fields: Success(metadata: metadata, thumbnail: thumbnail))
            case .failure(let error): try encoder.encodeUnion("failure", error)
            case .other(let tag): try encoder.encodeUnion(tag)
            }
        }
    }
}
