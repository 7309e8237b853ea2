import FoundationEssentials

/// An error response of the Dropbox API, in the terms of its documentation.
///
/// The body of a 409 is `{"error_summary": "path/conflict/file/..", "error": {".tag":
/// "path", "path": {…}}}`: nested unions. ``tags`` lists their tags from the outside in.
/// Routes return different tags, but each tag means the same everywhere, and new tags may
/// appear at any time; so one table of tags serves all routes.
struct DropboxRefusal: HTTPRefusal, Hashable {
    var status: Int

    /// From the outermost union in: `["path", "conflict", "file"]`. Empty when the body
    /// does not have this form.
    var tags: [String] = []

    /// The beginning of the body, or its error summary.
    var words = ""

    /// The requested delay, from the header or the body.
    var retryAfter: Duration?

    /// The offset at which an upload session continues (`incorrect_offset`).
    var correctOffset: Int64?

    /// The permission that the app lacks (`missing_scope`).
    var requiredScope: String?

    /// The server's message for people.
    var userMessage: String?

    /// - Parameters:
    ///   - secrets: Not to be quoted.
    ///   - retryAfter: The header's value.
    ///   - now: The reference for a date in it.
    init(
        status: Int, body: Data, without secrets: EchoedSecrets = EchoedSecrets([]),
        retryAfter: String?, now: Date
    ) {
        self.status = status
        self.retryAfter = retryAfter.flatMap { RetryAfter.parse($0, now: now) }
        guard let answer = try? JSONDecoder().decode(Answer.self, from: body) else {
            words = secrets.text(of: body, characterLimit: 300)
            return
        }
        let summary = answer.summary ?? answer.error.tags.joined(separator: "/")
        words = String(secrets.removed(from: summary).prefix(300))
        tags = answer.error.tags
        correctOffset = answer.error.correctOffset
        requiredScope = answer.error.requiredScope
        userMessage = answer.userMessage.map(secrets.removed)
        if self.retryAfter == nil, let seconds = answer.error.retryAfter {
            self.retryAfter = .seconds(min(max(0, seconds), 86_400))
        }
    }

    /// A single error union, as a thumbnail batch contains for individual files.
    init(tags: [String]) {
        self.status = 409
        self.tags = tags
        self.words = tags.joined(separator: "/")
    }

    /// Whether the token has expired, so that a refresh token can replace it.
    var isExpiredToken: Bool { status == 401 && tags.first == "expired_access_token" }

    /// Whether the token itself is the problem, not the member's permissions.
    var isUselessToken: Bool {
        status == 401 && tags.first.map { $0.hasSuffix("access_token") } ?? true
    }

    /// The failure as the retry policy classifies it.
    var failure: RetryPolicy.Failure {
        if status == 409, code == .rateLimited(retryAfter: retryAfter) {
            return .busy(retryAfter: retryAfter)
        }
        return .status(status, retryAfter: retryAfter)
    }

    var code: StoreError.Code {
        switch status {
        case 401:
            switch tags.first {
            case "user_suspended", "route_access_denied", "paper_access_denied": .forbidden
            default: .unauthorized
            }
        case 403: .forbidden
        case 404, 410: .notFound
        case 409: codeOfTags
        case 408: .timedOut
        case 413: .tooLarge
        case 423: .locked
        case 425, 502, 503, 504: .serverUnavailable(retryAfter: retryAfter)
        case 429, 509: .rateLimited(retryAfter: retryAfter)
        case 507: .overQuota
        // Network authentication required: the response is not the server's.
        case 511: .badAnswer
        case 400..<500: .badRequest
        case 500..<600: .serverError
        default: .badAnswer
        }
    }

    func error(during operation: StoreError.Operation, at path: RemotePath?) -> StoreError {
        let code: StoreError.Code =
            switch (self.code, operation) {
            // The cursor's folder is gone: listing again reports that.
            case (.notFound, .changes), (.notFound, .waitForChanges): .cursorReset
            // The call names nothing that could be missing: this is not a Dropbox API.
            case (.notFound, .account): .badAnswer
            // An invalid cursor, or another server's, is rejected like any bad argument.
            case (.badRequest, .changes), (.badRequest, .waitForChanges):
                words.contains("cursor") ? .cursorReset : .badRequest
            // A long poll that times out is not an error; one that is rejected is.
            case (.timedOut, .waitForChanges): .serverUnavailable(retryAfter: nil)
            // The embedded club: with what clients cannot see in it, a folder is not removed.
            case (.conflict, .delete) where tags.suffix(2) == ["conflict", "folder"]: .notEmpty
            case (let code, _): code
            }
        let what = requiredScope.map { words + " (\($0))" } ?? words
        var error = StoreError(
            code, during: operation, at: path, detail: "\(status) \(what)", underlying: self)
        error.userMessage = userMessage
        return error
    }
}

extension DropboxRefusal {
    /// The first tag, from the outside in, that maps to a code.
    private var codeOfTags: StoreError.Code {
        guard !tags.isEmpty else { return .badAnswer }
        for tag in tags {
            switch tag {
            case "reset":
                return .cursorReset
            case "not_found":
                return .notFound
            case "conflict":
                return .conflict(serverRevision: nil)
            case "not_file", "not_folder", "unsupported_file", "is_folder":
                return .wrongKind
            case "insufficient_space", "insufficient_quota":
                return .overQuota
            case "no_write_permission", "restricted_content", "access_restricted", "team_folder",
                "access_denied", "operation_suppressed", "cant_move_shared_folder",
                "cant_copy_shared_folder",
                "cant_nest_shared_folder", "cant_transfer_ownership", "cant_move_into_vault",
                "cant_move_into_family":
                return .forbidden
            case "locked":
                return .locked
            case "malformed_path", "disallowed_name", "cant_move_folder_into_itself",
                "duplicated_or_nested_paths":
                return .nameNotAllowed
            case "too_many_requests", "too_many_write_operations":
                return .rateLimited(retryAfter: retryAfter)
            case "payload_too_large", "too_large", "too_many_files":
                return .tooLarge
            case "content_hash_mismatch":
                return .damaged
            case "unsupported_extension", "unsupported_image", "conversion_error",
                "unsupported_content_type", "encrypted_content":
                return .noThumbnail
            case "invalid_argument", "template_error", "properties_error", "invalid_revision",
                "invalid_before_rev", "before_rev_not_supported", "encryption_not_supported",
                "too_many_shared_folder_targets":
                return .badRequest
            case let tag where tag.hasPrefix("concurrent_session_"):
                return .badRequest
            case "closed", "not_closed", "incorrect_offset":
                return .badRequest
            case "internal_error":
                return .serverError
            case "in_progress":
                return .serverUnavailable(retryAfter: nil)
            default:
                continue
            }
        }
        // `other`, or from a later version of the API.
        return .refused
    }
}

/// The body of an error response.
private struct Answer: Decodable {
    var summary: String?
    var error: ErrorUnion
    var userMessage: String?

    enum CodingKeys: String, CodingKey {
        case summary = "error_summary"
        case error
        case userMessage = "user_message"
    }

    private struct LocalizedText: Decodable {
        var text: String
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        summary = try container.decodeIfPresent(String.self, forKey: .summary)
        error = try container.decode(ErrorUnion.self, forKey: .error)
        // Servers send either a string or a string with its locale.
        let text =
            (try? container.decode(LocalizedText.self, forKey: .userMessage).text)
            ?? (try? container.decode(String.self, forKey: .userMessage))
        userMessage = text.flatMap { $0.isEmpty ? nil : String($0.prefix(300)) }
    }
}

/// A union of the API: a bare tag; or `.tag` with the member's value under the member's own
/// name, or, if the value is a structure, flattened beside the tag (an upload's `reason`).
private struct ErrorUnion: Decodable {
    var tags: [String] = []
    var correctOffset: Int64?
    var retryAfter: Int64?
    var requiredScope: String?

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let tag = try? decoder.singleValueContainer().decode(String.self) {
            tags = [tag]
            return
        }
        let container = try decoder.container(keyedBy: Key.self)
        correctOffset = try? container.decode(Int64.self, forKey: Key("correct_offset"))
        retryAfter = try? container.decode(Int64.self, forKey: Key("retry_after"))
        requiredScope = try? container.decode(String.self, forKey: Key("required_scope"))
        let tag = try? container.decode(String.self, forKey: Key(".tag"))
        if let tag { tags.append(tag) }
        // A rate limit has only a reason, no tag of its own.
        for name in [tag, "reason"].compactMap(\.self) {
            guard let inner = try? container.decode(ErrorUnion.self, forKey: Key(name)) else {
                continue
            }
            tags += inner.tags
            correctOffset = correctOffset ?? inner.correctOffset
            retryAfter = retryAfter ?? inner.retryAfter
            break
        }
        guard !tags.isEmpty else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no tag"))
        }
    }
}
