import FoundationEssentials

/// The part of a session's configuration that the helper needs, as plain values.
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
    /// From the configuration, else from the program's environment: the helper's own is that of the
    /// program that started it. nil for the helper's environment.
    var proxies: ProxySettings?
    /// Version numbers on the wire; nil for the defaults.
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

    /// Whether all numbers are valid.
    var isSound: Bool {
        requestTimeout >= 0 && resourceTimeout >= 0 && connectionsPerHost > 0
            && [proxies?.http, proxies?.https, proxies?.socks].allSatisfy { proxy in
                proxy.map { (1...65535).contains($0.port) } ?? true
            }
    }
}
