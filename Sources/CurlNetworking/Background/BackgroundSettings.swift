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
    /// As the configuration has them, else the program's environment: a helper's own is that of
    /// whoever started it. nil: as the helper's environment has it.
    var proxies: ProxySettings?
    /// By their numbers on the wire; nil: the usual ones.
    var oldestTLS: UInt16?
    var newestTLS: UInt16?
    /// Permanent credentials for the host of the request, and for the proxies.
    var credentials: [BackgroundCredential] = []

    init(_ settings: SessionSettings) {
        additionalFields = settings.additionalHeaders.map(BackgroundTaskRecord.Request.Field.list)
        requestTimeout = Self.plain(settings.requestTimeout)
        resourceTimeout = Self.plain(settings.resourceTimeout)
        connectionsPerHost = settings.connectionsPerHost
        unixSocketPath = settings.unixSocketPath?.absolutePath
        certificateAuthoritiesFile = settings.certificateAuthoritiesFile?.absolutePath
        cookieFile = settings.web.cookies?.filePath?.absolutePath
        cookiePolicy = settings.web.acceptPolicy.rawValue
        sendsCookies = settings.web.sendsCookies
        allowsCellular = settings.access.allowsCellular
        allowsExpensive = settings.access.allowsExpensive
        allowsConstrained = settings.access.allowsConstrained
        proxies = settings.proxies ?? .environment ?? ProxySettings()
        oldestTLS = settings.tls.minimum.rawValue
        newestTLS = settings.tls.maximum.rawValue
    }

    /// The same, with what the storage has for the host of a request, and for the proxies.
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
        configuration.withSettings { $0.proxies = proxies }
        if let version = oldestTLS.flatMap(tls_protocol_version_t.init) {
            configuration.tlsMinimumSupportedProtocolVersion = version
        }
        if let version = newestTLS.flatMap(tls_protocol_version_t.init) {
            configuration.tlsMaximumSupportedProtocolVersion = version
        }
        let storage = URLCredentialStorage()
        for credential in credentials { credential.enter(storage) }
        configuration.urlCredentialStorage = storage
        return configuration
    }

    /// Whether the numbers make sense.
    var isSound: Bool {
        requestTimeout >= 0 && resourceTimeout >= 0 && connectionsPerHost > 0
            && [proxies?.http, proxies?.https, proxies?.socks].allSatisfy { proxy in
                proxy.map { (1...65535).contains($0.port) } ?? true
            }
    }
}
