import FoundationEssentials

/// The part of a session's configuration that the helper needs, as plain values.
struct BackgroundSettings: Codable, Hashable, Sendable {
    var additionalFields: [BackgroundTaskRecord.Request.Field]?
    var requestTimeout: Double
    var resourceTimeout: Double
    var connectionsPerHost: Int
    /// nil from programs of before there was a choice.
    var httpVersion: HTTPVersionPreference?
    var unixSocketPath: String?
    /// From the configuration, else from the program's environment: the helper's own is that of the
    /// program that started it. nil for the helper's environment.
    var proxies: ProxySettings?
    var cookies: Cookies
    var access: Access
    var tls: TLS
    /// Permanent credentials for the host of the request, and for the proxies.
    var credentials: [BackgroundCredential] = []

    struct Cookies: Codable, Hashable, Sendable {
        /// The file of the cookie storage. Cookies in memory stay in the program.
        var cookieFile: String?
        /// The file of hosts that are reached over TLS only.
        var hstsFile: String?
        var cookiePolicy: UInt
        var sendsCookies: Bool
    }

    struct Access: Codable, Hashable, Sendable {
        var allowsCellular: Bool
        var allowsExpensive: Bool
        var allowsConstrained: Bool
    }

    struct TLS: Codable, Hashable, Sendable {
        var certificateAuthoritiesFile: String?
        /// Version numbers on the wire; nil for the defaults.
        var oldestTLS: UInt16?
        var newestTLS: UInt16?
    }

    init(_ settings: SessionSettings) {
        additionalFields = settings.additionalHeaders.map(BackgroundTaskRecord.Request.Field.list)
        requestTimeout = Self.plain(settings.timeouts.request)
        resourceTimeout = Self.plain(settings.timeouts.resource)
        connectionsPerHost = settings.connectionsPerHost
        httpVersion = settings.httpVersion
        unixSocketPath = settings.unixSocketPath?.absolutePath
        proxies = settings.proxies ?? .environment ?? ProxySettings()
        cookies = Cookies(
            cookieFile: settings.web.cookies?.filePath?.absolutePath,
            hstsFile: settings.web.hsts?.filePath?.absolutePath,
            cookiePolicy: settings.web.acceptPolicy.rawValue,
            sendsCookies: settings.web.sendsCookies)
        access = Access(
            allowsCellular: settings.access.allowsCellular,
            allowsExpensive: settings.access.allowsExpensive,
            allowsConstrained: settings.access.allowsConstrained)
        tls = TLS(
            certificateAuthoritiesFile: settings.tls.authoritiesFile?.absolutePath,
            oldestTLS: settings.tls.minimum.rawValue, newestTLS: settings.tls.maximum.rawValue)
    }

    /// A copy with the storage's credentials for the host of a request and for the proxies.
    func with(_ storage: URLCredentialStorage?, for request: URLRequest) -> BackgroundSettings {
        guard let storage, let host = request.url.flatMap(Origin.init(of:))?.host else {
            return self
        }
        let proxyHosts = [proxies?.http, proxies?.https].compactMap { $0?.host }
        var settings = self
        settings.credentials = BackgroundCredential.all(in: storage) { space in
            (space.isProxy() ? proxyHosts : [host]).contains {
                $0.isEqualIgnoringASCIICase(to: space.host)
            }
        }
        return settings
    }

    /// A time interval that JSON can represent; 0 stands for no limit.
    static func plain(_ seconds: Double) -> Double {
        seconds > 0 && seconds < 1e9 ? seconds : 0
    }

    /// A configuration for the helper's own session. It has no resource timeout: the helper applies that to
    /// all attempts of a task together.
    func makeConfiguration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = additionalFields.map { fields in
            Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
        }
        configuration.timeoutIntervalForRequest = requestTimeout
        configuration.timeoutIntervalForResource = 0
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        configuration.httpVersion = httpVersion ?? .automatic
        configuration.unixSocketPath = unixSocketPath
        configuration.certificateAuthoritiesFile = tls.certificateAuthoritiesFile.map {
            URL(filePath: $0, directoryHint: .notDirectory)
        }
        configuration.urlCache = nil  // what is brought is handed over as a file
        configuration.httpCookieStorage = cookies.cookieFile.map {
            HTTPCookieStorage(fileURL: URL(filePath: $0, directoryHint: .notDirectory))
        }
        configuration.hstsStorage = cookies.hstsFile.map {
            HSTSStorage(fileURL: URL(filePath: $0, directoryHint: .notDirectory))
        }
        configuration.httpCookieAcceptPolicy =
            HTTPCookieStorage.AcceptPolicy(rawValue: cookies.cookiePolicy)
            ?? .onlyFromMainDocumentDomain
        configuration.httpShouldSetCookies = cookies.sendsCookies
        configuration.allowsCellularAccess = access.allowsCellular
        configuration.allowsExpensiveNetworkAccess = access.allowsExpensive
        configuration.allowsConstrainedNetworkAccess = access.allowsConstrained
        configuration.waitsForConnectivity = true
        configuration.withSettings { $0.proxies = proxies }
        if let version = tls.oldestTLS.flatMap(tls_protocol_version_t.init) {
            configuration.tlsMinimumSupportedProtocolVersion = version
        }
        if let version = tls.newestTLS.flatMap(tls_protocol_version_t.init) {
            configuration.tlsMaximumSupportedProtocolVersion = version
        }
        let storage = URLCredentialStorage()
        for credential in credentials { credential.enter(storage) }
        configuration.urlCredentialStorage = storage
        return configuration
    }

    /// Whether all numbers are valid.
    var isSound: Bool {
        requestTimeout >= 0 && resourceTimeout >= 0 && connectionsPerHost > 0
            && [proxies?.http, proxies?.https, proxies?.socks].allSatisfy { proxy in
                proxy.map { (1...65535).contains($0.port) } ?? true
            }
    }
}

// MARK: - Coding

// One flat object: earlier helpers and programs read and write it.

extension BackgroundSettings {
    private enum CodingKeys: CodingKey {
        case additionalFields, requestTimeout, resourceTimeout, connectionsPerHost, unixSocketPath
        case httpVersion
        case proxies, credentials
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        additionalFields = try values.decodeIfPresent(
            [BackgroundTaskRecord.Request.Field].self, forKey: .additionalFields)
        requestTimeout = try values.decode(Double.self, forKey: .requestTimeout)
        resourceTimeout = try values.decode(Double.self, forKey: .resourceTimeout)
        connectionsPerHost = try values.decode(Int.self, forKey: .connectionsPerHost)
        httpVersion = try values.decodeIfPresent(String.self, forKey: .httpVersion).flatMap(
            HTTPVersionPreference.init)
        unixSocketPath = try values.decodeIfPresent(String.self, forKey: .unixSocketPath)
        proxies = try values.decodeIfPresent(ProxySettings.self, forKey: .proxies)
        credentials = try values.decode([BackgroundCredential].self, forKey: .credentials)
        cookies = try Cookies(from: decoder)
        access = try Access(from: decoder)
        tls = try TLS(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(additionalFields, forKey: .additionalFields)
        try values.encode(requestTimeout, forKey: .requestTimeout)
        try values.encode(resourceTimeout, forKey: .resourceTimeout)
        try values.encode(connectionsPerHost, forKey: .connectionsPerHost)
        try values.encodeIfPresent(httpVersion?.rawValue, forKey: .httpVersion)
        try values.encodeIfPresent(unixSocketPath, forKey: .unixSocketPath)
        try values.encodeIfPresent(proxies, forKey: .proxies)
        try values.encode(credentials, forKey: .credentials)
        try cookies.encode(to: encoder)
        try access.encode(to: encoder)
        try tls.encode(to: encoder)
    }
}
