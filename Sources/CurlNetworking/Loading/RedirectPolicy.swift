import FoundationEssentials

/// What to do about a 3xx answer (RFC 9110 §15.4, with the custom of browsers and Apple's suite).
enum RedirectPolicy {
    /// How many redirects in a row are followed.
    static let limit = 20

    /// Those that lead elsewhere. 305 and 306 have lost their meaning and are read as 307, as Apple's
    /// suite does (RFC 9110 §15.4: any 3xx with a Location may be followed).
    private static let followedStatuses = [301, 302, 303, 305, 306, 307, 308]

    enum Decision: Equatable {
        /// It is the answer.
        case deliver
        /// Ask again with this request, and with the body if it is kept.
        case follow(URLRequest, keepsBody: Bool)
        case fail(URLError)
    }

    /// - Parameters:
    ///   - request: The one that was answered.
    ///   - followed: How many redirects were followed before.
    static func decide(
        status: Int, location: String?, request: URLRequest, followed: Int
    ) -> Decision {
        guard followedStatuses.contains(status), let url = request.url,
            let location = location?.trimmingSpaces, !location.isEmpty
        else { return .deliver }
        guard var target = URL(string: location, relativeTo: url)?.absoluteURL else {
            return .fail(
                URLError(
                    .redirectToNonExistentLocation, failingURL: url,
                    underlyingText: "cannot read Location: \(location)"))
        }
        guard Origin(of: target) != nil else {
            return .fail(
                URLError(
                    .unsupportedURL, failingURL: target, underlyingText: "redirected from \(url)"))
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
        // A HEAD, too, as FoundationNetworking's own tests have it; RFC 9110 §15.4.4 would leave it.
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
            for name in credentialFields { next.headers[name] = nil }
        }
        if target.scheme == "http", request.url?.scheme == "https" {
            next.headers["Referer"] = nil
        }
        return .follow(next, keepsBody: !becomesGet)
    }

    /// Fields that speak for the user to one origin only.
    static let credentialFields = [
        "Authorization", "Proxy-Authorization", "Cookie", "Cookie2", "Origin",
    ]

    private static let bodyFields = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language",
        "Content-Location", "Transfer-Encoding", "Digest", "Content-Digest", "Last-Modified",
    ]
}
