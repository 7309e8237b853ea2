/// Why a call was rejected before it reached its route: status 401.
public enum AuthError: RouteError, SimpleTags {
    case invalidAccessToken
    case invalidSelectUser
    case invalidSelectAdmin
    case userSuspended
    case expiredAccessToken
    case missingScope(required: String)
    case routeAccessDenied
    case other(String)

    static let simple: [String: Self] = [
        "invalid_access_token": .invalidAccessToken, "invalid_select_user": .invalidSelectUser,
        "invalid_select_admin": .invalidSelectAdmin, "user_suspended": .userSuspended,
        "expired_access_token": .expiredAccessToken, "route_access_denied": .routeAccessDenied,
    ]

    public var tags: [String] {
        switch self {
        case .missingScope: ["missing_scope"]
        case .other(let tag): [tag]
        default: [simpleTag]
        }
    }

    private struct Scope: Codable {
        var required_scope: String
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "missing_scope":
            let scope: Scope = try union.fields()
            self = .missingScope(required: scope.required_scope)
        default: self = .simple(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .missingScope(let scope):
            try encoder.encodeUnion("missing_scope", fields: Scope(required_scope: scope))
        default: try encoder.encodeUnion(tags[0])
        }
    }
}

/// Which limit a client exceeded: status 429.
public enum RateLimitReason: RouteError, SimpleTags {
    case tooManyRequests
    case tooManyWriteOperations
    case other(String)

    static let simple: [String: Self] = [
        "too_many_requests": .tooManyRequests,
        "too_many_write_operations": .tooManyWriteOperations,
    ]

    public var tags: [String] {
        if case .other(let tag) = self { [tag] } else { [simpleTag] }
    }

    public init(from decoder: any Decoder) throws { self = .simple(try UnionReader(decoder).tag) }

    public func encode(to encoder: any Encoder) throws { try encoder.encodeUnion(tags[0]) }
}

/// The error of status 429.
public struct RateLimitError: Codable, Hashable, Sendable {
    public var reason: RateLimitReason
    /// Seconds to wait before the next call; the same as the header `Retry-After`.
    public var retryAfter: UInt64

    enum CodingKeys: String, CodingKey {
        case reason
        case retryAfter = "retry_after"
    }

    public init(reason: RateLimitReason, retryAfter: UInt64 = 1) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        reason = try container.decode(RateLimitReason.self, forKey: .reason)
        retryAfter = try container.decodeIfPresent(UInt64.self, forKey: .retryAfter) ?? 1
    }
}
