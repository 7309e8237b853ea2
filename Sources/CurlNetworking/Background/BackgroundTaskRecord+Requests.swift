import FoundationEssentials

// Requests and answers, as the journal and messages have them.

extension BackgroundTaskRecord.Request.Field {
    static func list(_ headers: HTTPHeaderFields) -> [Self] {
        headers.fields.map { Self(name: $0.name, value: $0.value) }
    }
}

extension HTTPHeaderFields {
    init(_ fields: [BackgroundTaskRecord.Request.Field]) {
        self.init()
        for field in fields { self[field.name] = field.value }
    }
}

extension BackgroundTaskRecord.Request {
    /// nil for a request without a URL of http or https.
    init?(_ request: URLRequest) {
        guard let url = request.url, Origin(of: url) != nil else { return nil }
        self.init(
            url: url.absoluteString, method: request.method, fields: Field.list(request.headers),
            timeout: request.ownTimeout.map(BackgroundSettings.plain), body: request.httpBody)
    }

    var request: URLRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.headers = HTTPHeaderFields(fields)
        if let timeout { request.timeoutInterval = timeout }
        request.httpBody = body
        return request
    }
}

extension BackgroundTaskRecord.Answer {
    init?(_ response: HTTPURLResponse) {
        guard let url = response.url else { return nil }
        self.init(
            url: url.absoluteString, status: response.statusCode,
            fields: BackgroundTaskRecord.Request.Field.list(response.headers))
    }

    var response: HTTPURLResponse? {
        guard let url = URL(string: url) else { return nil }
        return HTTPURLResponse(
            url: url, head: ResponseHead(status: status, headers: HTTPHeaderFields(fields)))
    }
}

// MARK: - Partial responses

extension BackgroundTaskRecord.Answer {
    /// A partial response (206) as the program sees it: with the status and lengths of the response that the
    /// body began with, and the fields of both (RFC 9110 §15.3.7.3: newer fields take precedence).
    func asWhole(_ record: BackgroundTaskRecord) -> Self {
        var fields = HTTPHeaderFields(fields)
        let range = fields["Content-Range"].flatMap(ContentRange.init)
        for name in ["Content-Range", "Content-Length", "Transfer-Encoding"] { fields[name] = nil }
        guard let first = record.part.firstAnswer else {
            // The program itself asked for a range, or a helper of an earlier version began the download.
            if case .download(.some) = record.kind { return self }
            if let total = range?.total { fields["Content-Length"] = String(total) }
            return Self(
                url: url, status: 200, fields: BackgroundTaskRecord.Request.Field.list(fields))
        }
        var all = HTTPHeaderFields(first.fields)
        for field in fields.fields { all[field.name] = field.value }
        return Self(
            url: url, status: first.status, fields: BackgroundTaskRecord.Request.Field.list(all))
    }

    /// Whether it would make a record too large.
    var isLarge: Bool {
        fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } > 64 << 10
    }
}
