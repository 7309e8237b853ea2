import FoundationEssentials

// Which parts of a request and its response a trace may contain.

extension HTTPHeaderFields {
    /// The fields, with values that may be secret replaced by their length, and URLs shortened.
    var redacted: HTTPHeaderFields {
        var shown = HTTPHeaderFields()
        for field in fields {
            shown[field.name] =
                if Self.holdsSecret(field.name) {
                    "<\(field.value.utf8.count) bytes>"
                } else if ["location", "content-location", "referer"].contains(
                    field.name.lowercased())
                {
                    URL(string: field.value)?.withoutSecrets.absoluteString ?? "<a URL>"
                } else {
                    field.value
                }
        }
        return shown
    }

    /// Whether a field may contain a secret: by known names, and by words in the name. May have false
    /// positives.
    static func holdsSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return [
            "auth", "cookie", "token", "secret", "password", "credential", "session", "signature",
            "api-key",
            "apikey", "access-key", "private", "jwt", "csrf", "xsrf", "otp", "dpop",
            // Programs send tokens in it, because browsers allow no other field for WebSockets.
            "websocket-protocol",
        ].contains { name.contains($0) }
    }
}

extension URLRequest {
    /// The request without body, properties and secrets.
    var redacted: URLRequest {
        var shown = URLRequest(url: url?.withoutSecrets ?? URL(filePath: "/"))
        if url == nil { shown.url = nil }
        shown.httpMethod = method
        shown.headers = headers.redacted
        return shown
    }
}

extension TransactionFacts {
    /// The facts without secrets.
    var redacted: TransactionFacts {
        var shown = self
        shown.request = request.redacted
        if let url = response?.url, let http = response as? HTTPURLResponse {
            shown.response = HTTPURLResponse(
                url: url.withoutSecrets,
                head: ResponseHead(status: http.statusCode, headers: http.headers.redacted))
        } else {
            shown.response = nil
        }
        return shown
    }
}
