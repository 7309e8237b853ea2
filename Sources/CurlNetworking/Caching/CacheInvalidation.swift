import FoundationEssentials

/// The stored responses that an unsafe request invalidates (RFC 9111 §4.4).
enum CacheInvalidation {
    static func urls(for request: URLRequest, _ response: ResponseHead) -> [URL] {
        guard let url = request.url, !safeMethods.contains(request.method),
            (200...399).contains(response.status)
        else { return [] }
        // A server can only invalidate its own URLs.
        let others = ["Location", "Content-Location"].compactMap { name -> URL? in
            guard let text = response.headers[name],
                let other = LenientAddress.url(text.trimmingSpaces, relativeTo: url)?.absoluteURL,
                let origin = Origin(of: other), origin == Origin(of: url)
            else { return nil }
            return other
        }
        return [url] + others
    }

    /// The registered safe methods (RFC 9110 §16.1.1).
    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH",
    ]
}
