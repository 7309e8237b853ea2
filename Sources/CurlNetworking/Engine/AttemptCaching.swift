import FoundationEssentials

/// What cookies and cache keep for one attempt of a transfer.
struct AttemptCaching {
    /// What the cache has to do with the attempt; nil without a cache.
    var plan: CachePlan?
    /// When the attempt's request was handed to libcurl.
    var requestTime = Date()
    /// Keeps the server's answer while it passes.
    var writer: CacheWriter?
    /// A stored answer that is given once the rest of the server's has been discarded.
    var fallbackResponse: CachePlan.Answer?
    /// The stored body that is being given.
    var serving: StoredBody?

    struct StoredBody {
        let body: CacheBody
        var position = 0
        var isReading = false

        init(_ body: CacheBody) {
            self.body = body
        }
    }

    /// Forgets the last attempt's answer.
    mutating func beginAttempt() {
        writer?.discard()
        writer = nil
        fallbackResponse = nil
        serving = nil
    }
}

extension Transfer {
    /// The fields of the attempt's request with what the session adds, cookies among it, and without what
    /// the cache adds: those are the ones a `Vary` of the answer speaks of.
    var fields: HTTPHeaderFields {
        var fields = request.headers
        if var more = settings.additionalHeaders {
            if hasLeftOrigin {
                for name in RedirectPolicy.credentialFields { more[name] = nil }
            }
            fields.fill(from: more)
        }
        if fields["Cookie"] == nil { fields["Cookie"] = cookies }
        return fields
    }

    /// The storage's cookies for the attempt. They never enter the request itself, so that none follows a
    /// redirect without being asked for anew.
    private var cookies: String? {
        guard settings.web.sendsCookies, request.httpShouldHandleCookies, let url = request.url
        else { return nil }
        return settings.web.cookies?.field(for: url, mainDocumentURL: request.mainDocumentURL)
    }

    /// The attempt's request with all its fields.
    var requestWithFields: URLRequest {
        var request = request
        request.headers = fields
        return request
    }
}
