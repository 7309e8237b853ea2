public struct UploadSessionStartArg: Codable, Hashable, Sendable {
    public enum Kind: String, ArgumentTag {
        case sequential
        /// Parts of multiples of 4 MiB, in any order, several concurrently.
        case concurrent
    }

    public var close: Bool
    public var kind: Kind?
    public var contentHash: ContentHash?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case close
        case kind = "session_type"
        case contentHash = "content_hash"
    }

    public init(close: Bool = false, kind: Kind? = nil, contentHash: ContentHash? = nil) {
        self.close = close
        self.kind = kind
        self.contentHash = contentHash
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        close = try fields.value(.close, default: false)
        kind = try fields.optional(.kind)
        contentHash = try fields.contentHash(.contentHash)
    }
}

public struct UploadSessionStartResult: Codable, Hashable, Sendable {
    public var sessionID: String

    enum CodingKeys: String, CodingKey {
        case sessionID = "session_id"
    }

    public init(sessionID: String) { self.sessionID = sessionID }
}

/// A session, and how many bytes the client expects it to hold.
public struct UploadSessionCursor: Codable, Hashable, Sendable {
    public var sessionID: String
    public var offset: UInt64

    enum CodingKeys: String, CodingKey, CaseIterable {
        case sessionID = "session_id"
        case offset
    }

    public init(sessionID: String, offset: UInt64) {
        self.sessionID = sessionID
        self.offset = offset
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        sessionID = try fields.required(.sessionID)
        offset = try fields.required(.offset)
    }
}

public struct UploadSessionAppendArg: Codable, Hashable, Sendable {
    public var cursor: UploadSessionCursor
    public var close: Bool
    /// Of this call's body.
    public var contentHash: ContentHash?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case cursor
        case close
        case contentHash = "content_hash"
    }

    public init(cursor: UploadSessionCursor, close: Bool = false, contentHash: ContentHash? = nil) {
        self.cursor = cursor
        self.close = close
        self.contentHash = contentHash
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        cursor = try fields.required(.cursor)
        close = try fields.value(.close, default: false)
        contentHash = try fields.contentHash(.contentHash)
    }
}

public struct UploadSessionFinishArg: Codable, Hashable, Sendable {
    public var cursor: UploadSessionCursor
    public var commit: CommitInfo
    /// Of this call's body, not of the whole file.
    public var contentHash: ContentHash?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case cursor
        case commit
        case contentHash = "content_hash"
    }

    public init(cursor: UploadSessionCursor, commit: CommitInfo, contentHash: ContentHash? = nil) {
        self.cursor = cursor
        self.commit = commit
        self.contentHash = contentHash
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        cursor = try fields.required(.cursor)
        commit = try fields.required(.commit)
        contentHash = try fields.contentHash(.contentHash)
    }
}
