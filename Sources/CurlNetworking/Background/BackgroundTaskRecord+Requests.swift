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
