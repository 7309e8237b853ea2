import FoundationEssentials

/// Decides about a 3xx response (RFC 9110 §15.4, with the conventions of browsers and Apple's
/// implementation).
enum RedirectPolicy {
    /// The maximum number of consecutive redirects.
    static let limit = 20

    /// The status codes that are followed. 305 and 306 are obsolete and treated as 307, as in Apple's
    /// implementation (RFC 9110 §15.4 permits following any 3xx with a Location).
    private static let followedStatuses = [301, 302, 303, 305, 306, 307, 308]

    enum Decision: Equatable {
        /// Deliver it as the response.
        case deliver
        /// Send this request, with the body if that is kept.
        case follow(URLRequest, keepsBody: Bool)
        case fail(URLError)
    }

    /// Decides about a response.
    ///
    /// - Parameters:
    ///   - request: The request that was answered.
    ///   - followed: How many redirects were followed before.
    static func decide(
        status: Int, location: String?, request: URLRequest, followed: Int
    ) -> Decision {
        guard followedStatuses.contains(status), let url = request.url,
            let location = location?.trimmingSpaces, !location.isEmpty
        else { return .deliver }
        // The texts get into traces, and the URLs may contain secrets.
        guard var target = LenientAddress.url(location, relativeTo: url)?.absoluteURL else {
            return .fail(
                URLError(
                    .redirectToNonExistentLocation, failingURL: url,
                    underlyingText: "the Location of the redirect is not a valid URL"))
        }
        guard Origin(of: target) != nil else {
            return .fail(
                URLError(
                    .unsupportedURL, failingURL: target,
                    underlyingText: "redirected from \(url.withoutSecrets)"))
        }
        guard followed < limit else {
            return .fail(URLError(.httpTooManyRedirects, failingURL: target))
        }
        if target.fragment() == nil, let fragment = url.fragment(percentEncoded: true) {
            target = URL(string: target.absoluteString + "#" + fragment) ?? target
        }
        return follow(status: status, to: target, from: request)
    }

    private static func follow(status: Int, to target: URL, from request: URLRequest) -> Decision {
        var next = request
        next.url = target
        let method = request.method.uppercased()
        // This includes HEAD, as FoundationNetworking's tests expect; RFC 9110 §15.4.4 would keep it.
        let becomesGet =
            status == 303
            ? method != "GET"
            : (status == 301 || status == 302) && method == "POST"
        if becomesGet {
            next.httpMethod = "GET"
            next.httpBody = nil
            for name in bodyFields { next.headers[name] = nil }
        }
        if Origin(of: target) != request.url.flatMap(Origin.init) {
            for name in originFields { next.headers[name] = nil }
        }
        if target.scheme?.lowercased() == "http", request.url?.scheme?.lowercased() == "https" {
            next.headers["Referer"] = nil
        }
        return .follow(next, keepsBody: !becomesGet)
    }

    /// Fields that belong to one origin: the user's credentials, and the name of the host.
    static let originFields = [
        "Authorization", "Proxy-Authorization", "Cookie", "Cookie2", "Origin", "Host",
    ]

    private static let bodyFields = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language",
        "Content-Location", "Transfer-Encoding", "Digest", "Content-Digest", "Last-Modified",
    ]
}
