import FoundationEssentials

// Requests and answers, as the journal and messages have them.

extension BackgroundTaskRecord {
    /// A complete request, credentials included.
    struct Request: Codable, Hashable, Sendable {
        var url: String
        var method: String
        var fields: [Field]
        var timeout: Double?
        var body: Data?
        /// nil when all of them are standard, and in records of earlier versions.
        var options: Options?

        struct Field: Codable, Hashable, Sendable {
            var name: String
            var value: String
        }

        /// What the request says beyond the message that is sent. nil is standard.
        struct Options: Codable, Hashable, Sendable {
            var handlesCookies: Bool?
            var mainDocument: String?
            var allowsCellular: Bool?
            var allowsExpensive: Bool?
            var allowsConstrained: Bool?
            var assumesHTTP3: Bool?
            /// The raw value.
            var cachePolicy: UInt?
        }
    }
}

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
        let options = Options(request)
        if options != Options() { self.options = options }
    }

    var request: URLRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.headers = HTTPHeaderFields(fields)
        if let timeout { request.timeoutInterval = timeout }
        request.httpBody = body
        options?.apply(to: &request)
        return request
    }
}

extension BackgroundTaskRecord.Request.Options {
    fileprivate init(_ request: URLRequest) {
        if !request.httpShouldHandleCookies { handlesCookies = false }
        mainDocument = request.mainDocumentURL?.absoluteString
        if !request.allowsCellularAccess { allowsCellular = false }
        if !request.allowsExpensiveNetworkAccess { allowsExpensive = false }
        if !request.allowsConstrainedNetworkAccess { allowsConstrained = false }
        if request.assumesHTTP3Capable { assumesHTTP3 = true }
        cachePolicy = request.ownCachePolicy?.rawValue
    }

    fileprivate func apply(to request: inout URLRequest) {
        request.httpShouldHandleCookies = handlesCookies ?? true
        request.mainDocumentURL = mainDocument.flatMap { URL(string: $0) }
        request.allowsCellularAccess = allowsCellular ?? true
        request.allowsExpensiveNetworkAccess = allowsExpensive ?? true
        request.allowsConstrainedNetworkAccess = allowsConstrained ?? true
        request.assumesHTTP3Capable = assumesHTTP3 ?? false
        if let policy = cachePolicy.flatMap(URLRequest.CachePolicy.init) {
            request.cachePolicy = policy
        }
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
