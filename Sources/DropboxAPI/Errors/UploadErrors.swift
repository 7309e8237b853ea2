/// Why `upload` fails.
public enum UploadError: RouteError, SimpleTags {
    /// The bytes are in the upload session `sessionID`, but could not be committed: finish that
    /// session under another path, without sending them again.
    case path(WriteError, sessionID: String)
    case propertiesError
    case payloadTooLarge
    case contentHashMismatch
    case encryptionNotSupported
    case other(String)

    static let simple: [String: Self] = [
        "properties_error": .propertiesError, "payload_too_large": .payloadTooLarge,
        "content_hash_mismatch": .contentHashMismatch,
        "encryption_not_supported": .encryptionNotSupported,
    ]

    public var tags: [String] {
        switch self {
        case .path(let error, _): ["path"] + error.tags
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    private struct WriteFailed: Codable {
        var reason: WriteError
        var upload_session_id: String
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "path":
            let failed: WriteFailed = try union.fields()
            self = .path(failed.reason, sessionID: failed.upload_session_id)
        default: self = .simple(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .path(let reason, let sessionID):
            try encoder.encodeUnion(
                "path", fields: WriteFailed(reason: reason, upload_session_id: sessionID))
        default: try encoder.encodeUnion(tags[0])
        }
    }
}

/// Why `upload_session/start` fails.
public enum UploadSessionStartError: RouteError, SimpleTags {
    case concurrentSessionDataNotAllowed
    case concurrentSessionCloseNotAllowed
    case payloadTooLarge
    case contentHashMismatch
    case other(String)

    static let simple: [String: Self] = [
        "concurrent_session_data_not_allowed": .concurrentSessionDataNotAllowed,
        "concurrent_session_close_not_allowed": .concurrentSessionCloseNotAllowed,
        "payload_too_large": .payloadTooLarge, "content_hash_mismatch": .contentHashMismatch,
    ]

    public var tags: [String] {
        if case .other(let tag) = self { [tag] } else { [simpleTag] }
    }

    public init(from decoder: any Decoder) throws { self = .simple(try UnionReader(decoder).tag) }

    public func encode(to encoder: any Encoder) throws { try encoder.encodeUnion(tags[0]) }
}

/// Why a session cannot be used: the error of `append_v2`, and part of that of `finish`.
public enum UploadSessionLookupError: RouteError, SimpleTags {
    case notFound
    /// The session holds this many bytes. If that is the end of what was sent, it had arrived.
    case incorrectOffset(correctOffset: UInt64)
    case closed
    case notClosed
    case tooLarge
    case concurrentSessionInvalidOffset
    case concurrentSessionInvalidDataSize
    case payloadTooLarge
    case contentHashMismatch
    case other(String)

    static let simple: [String: Self] = [
        "not_found": .notFound, "closed": .closed, "not_closed": .notClosed,
        "too_large": .tooLarge,
        "concurrent_session_invalid_offset": .concurrentSessionInvalidOffset,
        "concurrent_session_invalid_data_size": .concurrentSessionInvalidDataSize,
        "payload_too_large": .payloadTooLarge, "content_hash_mismatch": .contentHashMismatch,
    ]

    public var tags: [String] {
        switch self {
        case .incorrectOffset: ["incorrect_offset"]
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    private struct Offset: Codable {
        var correct_offset: UInt64
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "incorrect_offset":
            let offset: Offset = try union.fields()
            self = .incorrectOffset(correctOffset: offset.correct_offset)
        default: self = .simple(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .incorrectOffset(let offset):
            try encoder.encodeUnion("incorrect_offset", fields: Offset(correct_offset: offset))
        default: try encoder.encodeUnion(tags[0])
        }
    }
}

/// Why `upload_session/finish` fails.
public enum UploadSessionFinishError: RouteError, SimpleTags {
    case lookupFailed(UploadSessionLookupError)
    /// The bytes stay in the session: finish again with an empty body and the advanced offset.
    case path(WriteError)
    case propertiesError
    case tooManySharedFolderTargets
    case tooManyWriteOperations
    case concurrentSessionDataNotAllowed
    case concurrentSessionNotClosed
    case concurrentSessionMissingData
    case payloadTooLarge
    case contentHashMismatch
    case encryptionNotSupported
    case other(String)

    static let simple: [String: Self] = [
        "properties_error": .propertiesError,
        "too_many_shared_folder_targets": .tooManySharedFolderTargets,
        "too_many_write_operations": .tooManyWriteOperations,
        "concurrent_session_data_not_allowed": .concurrentSessionDataNotAllowed,
        "concurrent_session_not_closed": .concurrentSessionNotClosed,
        "concurrent_session_missing_data": .concurrentSessionMissingData,
        "payload_too_large": .payloadTooLarge, "content_hash_mismatch": .contentHashMismatch,
        "encryption_not_supported": .encryptionNotSupported,
    ]

    public var tags: [String] {
        switch self {
        case .lookupFailed(let error): ["lookup_failed"] + error.tags
        case .path(let error): ["path"] + error.tags
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "lookup_failed": self = .lookupFailed(try union.value())
        case "path": self = .path(try union.value())
        default: self = .simple(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .lookupFailed(let error): try encoder.encodeUnion("lookup_failed", error)
        case .path(let error): try encoder.encodeUnion("path", error)
        default: try encoder.encodeUnion(tags[0])
        }
    }
}
