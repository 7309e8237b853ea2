import FoundationEssentials

/// The decision about a request, given what the cache has stored (RFC 9111 §4).
enum CacheDecision: Hashable, Sendable {
    /// Deliver the stored response.
    case use
    /// Validate the stored response: send the request with these additional fields.
    case revalidate(HTTPHeaderFields)
    /// Send the request with these fields, and store the response if `stores`.
    case load(HTTPHeaderFields, stores: Bool)
    /// Fail with `.resourceUnavailable`: `.returnCacheDataDontLoad`, and nothing is stored.
    case fail
    /// Respond with 504: the request has `only-if-cached`, and nothing matches (§5.2.1.7).
    case gatewayTimeout

    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - request: The request with all fields except those that the cache adds.
    ///   - stored: The stored response for its URL and variant.
    static func make(
        for request: URLRequest, policy: URLRequest.CachePolicy, stored: StoredHead?, now: Date
    ) -> CacheDecision {
        let control = requestControl(of: request)
        let plainLoad = CacheDecision.load(HTTPHeaderFields(), stores: !control.has("no-store"))
        guard isCacheable(request) else {
            return policy == .returnCacheDataDontLoad ? .fail : plainLoad
        }
        switch policy {
        case .useProtocolCachePolicy:
            let decision = byProtocol(request, control, stored, now: now) ?? plainLoad
            return control.has("only-if-cached") && decision != .use ? .gatewayTimeout : decision
        case .reloadIgnoringLocalCacheData:
            return plainLoad
        case .reloadIgnoringLocalAndRemoteCacheData:
            return .load(noCacheFields(for: request), stores: !control.has("no-store"))
        case .returnCacheDataElseLoad:
            return stored != nil ? .use : plainLoad
        case .returnCacheDataDontLoad:
            return stored != nil ? .use : .fail
        case .reloadRevalidatingCacheData:
            return revalidating(request, stored, now: now) ?? plainLoad
        }
    }

    /// Whether the cache applies to a request: not to ranges, nor to a caller's own validation, which has to
    /// receive the 304.
    static func isCacheable(_ request: URLRequest) -> Bool {
        ["GET", "HEAD"].contains(request.method)
            && ownConditions.allSatisfy { request.headers[$0] == nil }
    }

    private static let ownConditions = [
        "Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since",
        "If-Range",
    ]

    /// The cache directives of a request. `Pragma: no-cache` counts only without `Cache-Control` (§5.4).
    static func requestControl(of request: URLRequest) -> CacheControl {
        if let field = request.headers["Cache-Control"] { return CacheControl(field) }
        let pragma = CacheControl(request.headers["Pragma"])
        return pragma.has("no-cache") ? pragma : CacheControl(nil)
    }

    private static func byProtocol(
        _ request: URLRequest, _ control: CacheControl, _ stored: StoredHead?, now: Date
    ) -> CacheDecision? {
        guard let stored, !control.has("no-store") else { return nil }
        let answer = stored.cacheControl
        let isRefused = control.has("no-cache") || answer.hasUnqualified("no-cache")
        if !isRefused, isAcceptable(stored, control, answer, now: now) { return .use }
        return revalidation(of: stored)
    }

    /// Whether the age of a stored response satisfies the request (§5.2.1).
    private static func isAcceptable(
        _ stored: StoredHead, _ control: CacheControl, _ answer: CacheControl, now: Date
    ) -> Bool {
        let age = stored.age(at: now)
        let lifetime = stored.lifetime
        if let most = control.seconds("max-age"), age > most || most == 0 {
            // A reload does not validate an immutable response (RFC 8246).
            guard most == 0, answer.has("immutable"), lifetime > age else { return false }
        }
        if let least = control.seconds("min-fresh"), lifetime - age < least { return false }
        if lifetime > age { return true }
        guard let most = control.secondsOrAny("max-stale"), !answer.has("must-revalidate") else {
            return false
        }
        return age - lifetime <= most
    }

    private static func revalidating(
        _ request: URLRequest, _ stored: StoredHead?, now: Date
    ) -> CacheDecision? {
        guard let stored else { return nil }
        if stored.cacheControl.has("immutable"), stored.isFresh(at: now) { return .use }
        guard case .revalidate(var fields)? = revalidation(of: stored) else { return nil }
        // Intermediate caches have to validate, too.
        if request.headers["Cache-Control"] == nil { fields["Cache-Control"] = "max-age=0" }
        return .revalidate(fields)
    }

    private static func revalidation(of stored: StoredHead) -> CacheDecision? {
        guard stored.hasValidator else { return nil }
        var fields = HTTPHeaderFields()
        fields["If-None-Match"] = stored.entityTag
        fields["If-Modified-Since"] = stored.lastModified
        return .revalidate(fields)
    }

    private static func noCacheFields(for request: URLRequest) -> HTTPHeaderFields {
        var fields = HTTPHeaderFields()
        if request.headers["Cache-Control"] == nil { fields["Cache-Control"] = "no-cache" }
        if request.headers["Pragma"] == nil { fields["Pragma"] = "no-cache" }
        return fields
    }
}
