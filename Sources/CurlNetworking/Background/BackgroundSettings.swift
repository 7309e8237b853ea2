import FoundationEssentials

/// What a helper needs of a session's configuration, as plain values.
struct BackgroundSettings: Codable, Hashable, Sendable {
    var additionalFields: [BackgroundTaskRecord.Request.Field]?
    var requestTimeout: Double
    var resourceTimeout: Double
    var connectionsPerHost: Int
    var unixSocketPath: String?
    var certificateAuthoritiesFile: String?
    /// The file of the cookie storage. Cookies in memory stay in the program.
    var cookieFile: String?
    var cookiePolicy: UInt
    var sendsCookies: Bool
    var allowsCellular: Bool
    var allowsExpensive: Bool
    var allowsConstrained: Bool
    /// Permanent credentials for the host of the request.
    var credentials: [CredentialFile.Entry] = []

    init(_ settings: SessionSettings) {
        additionalFields = settings.additionalHeaders.map(BackgroundTaskRecord.Request.Field.list)
        requestTimeout = Self.plain(settings.requestTimeout)
        resourceTimeout = Self.plain(settings.resourceTimeout)
        connectionsPerHost = settings.connectionsPerHost
        unixSocketPath = settings.unixSocketPath
        certificateAuthoritiesFile = settings.certificateAuthoritiesFile?.path(
            percentEncoded: false)
        cookieFile = settings.web.cookies?.filePath
        cookiePolicy = settings.web.acceptPolicy.rawValue
        sendsCookies = settings.web.sendsCookies
        allowsCellular = settings.access.allowsCellular
        allowsExpensive = settings.access.allowsExpensive
        allowsConstrained = settings.access.allowsConstrained
    }

    /// The same, with what the storage has for the host of a request.
    func with(_ storage: URLCredentialStorage?, for request: URLRequest) -> BackgroundSettings {
        guard let storage, let host = request.url.flatMap(Origin.init(of:))?.host else {
            return self
        }
        var settings = self
        for (space, credentials) in storage.allCredentials where space.host == host {
            let standard = storage.defaultCredential(for: space)
            settings.credentials += credentials.values.compactMap { credential in
                CredentialFile.Entry(
                    space, credential, isDefault: credential.user == standard?.user)
            }
        }
        // In an order of their own: equal settings share a session of the helper.
        settings.credentials.sort {
            ($0.port, $0.realm ?? "", $0.method, $0.user)
                < ($1.port, $1.realm ?? "", $1.method, $1.user)
        }
        return settings
    }

    /// A span as JSON can say it: 0 for one that never ends.
    static func plain(_ seconds: Double) -> Double {
        seconds > 0 && seconds < 1e9 ? seconds : 0
    }

    /// A configuration for the session that does the work in the helper. It has no resource timeout:
    /// that one spans all attempts of a task, and is the helper's own affair.
    func makeConfiguration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = additionalFields.map { fields in
            Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
        }
        configuration.timeoutIntervalForRequest = requestTimeout
        configuration.timeoutIntervalForResource = 0
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        configuration.unixSocketPath = unixSocketPath
        configuration.certificateAuthoritiesFile = certificateAuthoritiesFile.map {
            URL(filePath: $0, directoryHint: .notDirectory)
        }
        configuration.urlCache = nil  // what is brought is handed over as a file
        configuration.httpCookieStorage = cookieFile.map {
            HTTPCookieStorage(fileURL: URL(filePath: $0, directoryHint: .notDirectory))
        }
        configuration.httpCookieAcceptPolicy =
            HTTPCookieStorage.AcceptPolicy(rawValue: cookiePolicy) ?? .onlyFromMainDocumentDomain
        configuration.httpShouldSetCookies = sendsCookies
        configuration.allowsCellularAccess = allowsCellular
        configuration.allowsExpensiveNetworkAccess = allowsExpensive
        configuration.allowsConstrainedNetworkAccess = allowsConstrained
        configuration.waitsForConnectivity = true
        let storage = URLCredentialStorage()
        for entry in credentials {
            if entry.isDefault {
                storage.setDefaultCredential(entry.credential, for: entry.space)
            } else {
                storage.set(entry.credential, for: entry.space)
            }
        }
        configuration.urlCredentialStorage = storage
        return configuration
    }

    /// Whether the numbers make sense.
    var isSound: Bool {
        requestTimeout >= 0 && resourceTimeout >= 0 && connectionsPerHost > 0
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

// MARK: - Requests and answers

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
