import FoundationEssentials
import Synchronization

// What an attempt's request looks like on the wire.

extension Engine {
    /// All that libcurl has to know of the attempt, as it is at the last moment: while a transfer is
    /// queued other responses may have set cookies.
    func makeConfiguration(for transfer: Transfer) throws(URLError) -> AttemptConfiguration {
        guard let url = transfer.request.url else { throw URLError(.badURL) }
        let attempt = transfer.attempt
        let settings = transfer.settings
        var configuration = AttemptConfiguration(
            url: url, method: transfer.request.method, headers: transfer.takeFields())
        if !attempt.body.isNone {
            configuration.body = .some(byteCount: attempt.body.byteCount, start: attempt.body.start)
        }
        configuration.isRaw = attempt.isWebSocket
        configuration.connectTimeout = transfer.request.ownTimeout ?? settings.timeouts.request
        configuration.connection = transfer.usableConnections
        if transfer.checksAgeOfConnections {
            attempt.http.connectionCut = transfer.task.session.connectionCut.withLock { $0?.time }
        }
        configuration.version = attempt.http.version
        configuration.streamPriority = transfer.task.priority
        configuration.receivingRate = transfer.task.maximumReceivingRate
        configuration.unixSocketPath = settings.unixSocketPath
        configuration.proxy = transfer.proxyConfiguration
        if url.scheme?.lowercased() == "https" {
            if transfer.mayBeAsked(about: url) {
                attempt.tls.handshake = TLSHandshake(host: url.hostToVerify)
            }
            configuration.tls = transfer.tlsConfiguration(for: url)
        }
        attempt.received.acceptsCodings = configuration.acceptedCodings != nil
        attempt.received.letsLibcurlDecode = configuration.letsLibcurlDecode(.current)
        return configuration
    }
}

extension Transfer {
    /// The fields of the attempt's request with what the session adds, cookies among it, and without what
    /// the cache adds: those are the ones a `Vary` of the response speaks of.
    private var fields: HTTPHeaderFields {
        var fields = request.headers
        if var more = settings.additionalHeaders {
            if history.hasLeftOrigin {
                for name in RedirectPolicy.credentialFields { more[name] = nil }
            }
            fields.fill(from: more)
        }
        if fields["Cookie"] == nil { fields["Cookie"] = cookies }
        return fields
    }

    /// The storage's cookies for the attempt. They never enter the request itself, so that none follows
    /// a redirect unchecked.
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

    /// The fields to send. A stored response that was planned with other cookies is dropped.
    fileprivate func takeFields() -> HTTPHeaderFields {
        var fields = fields
        attempt.cache.requestTime = Date()
        if let plan = attempt.cache.plan, plan.request.headers["Cookie"] != fields["Cookie"] {
            var request = plan.request
            request.headers = fields
            attempt.cache.plan = plan.withoutEntry(for: request)
        }
        for field in attempt.cache.plan?.addedFields.fields ?? [] {
            fields[field.name] = field.value
        }
        for field in upload?.creationFields ?? [] { fields[field.name] = field.value }
        for field in attempt.authorization.fields { fields[field.name] = field.value }
        if fields["Content-Type"] == nil { fields["Content-Type"] = attempt.assumedContentType }
        return fields
    }

    /// A `Proxy-Authorization` of the request's own goes to the proxy unless there is a better one.
    fileprivate var proxyConfiguration: AttemptConfiguration.Proxy? {
        guard let proxy = attempt.route.proxy else { return nil }
        let name = AuthenticationParty.proxy.answerField
        return AttemptConfiguration.Proxy(
            server: proxy,
            authorization: attempt.authorization.proxyFields.first?.value ?? request.headers[name]
                ?? settings.additionalHeaders?[name])
    }

    fileprivate func tlsConfiguration(for url: URL) -> AttemptConfiguration.TLS {
        let ownFile = settings.tls.authoritiesFile?.path(percentEncoded: false)
        var tls = AttemptConfiguration.TLS(
            version: settings.tls.curlVersion,
            authoritiesFile: ownFile ?? CertificateAuthorities.systemFile,
            readsAuthoritiesAgain: ownFile != nil, identity: identity(for: url))
        // libcurl uses a connection, and a TLS session, for every transfer that names the same
        // authorities: another spelling keeps a server that one session has accepted from all others,
        // and the connections of before a `flush` or `reset` from those of after it.
        let cut = task.session.connectionCut.withLock { $0?.number }
        if attempt.tls.handshake != nil {
            tls.checksServerItself = true
            tls.resumesSessions = task.delegate == nil
        }
        guard let number = cut ?? (tls.checksServerItself ? task.session.number : nil) else {
            return tls
        }
        tls.authoritiesFile = tls.authoritiesFile.map {
            CertificateAuthorities.spelling(of: $0, number: number)
        }
        tls.authoritiesFolder = CertificateAuthorities.systemFolder.map {
            $0 + ":/nonexistent/session-\(number)"
        }
        return tls
    }
}

extension Transfer {
    /// One that only uses what is there never asks for a new connection.
    var usableConnections: AttemptConfiguration.Connection {
        if history.needsFreshConnection, attempt.http.mayOpenConnection { return .new }
        return checksAgeOfConnections ? .any : task.session.usableConnections
    }

    /// Whether the engine knows how old each connection is, and refuses it. libcurl looks at the age of those alone
    /// that carry nothing.
    var checksAgeOfConnections: Bool {
        attempt.http.version.mayMultiplex && settings.unixSocketPath == nil
    }
}

extension URLSession {
    /// Connections from after the last `flush` or `reset`. libcurl counts their age in whole seconds.
    var usableConnections: AttemptConfiguration.Connection {
        guard let age = secondsSinceReset else { return .any }
        return age < 2 ? .new : .youngerThan(age - 1)
    }
}

extension URL {
    /// The name or address a certificate has to be for.
    fileprivate var hostToVerify: String {
        var host = (host(percentEncoded: false) ?? "")[...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host.hasSuffix(".") { host = host.dropLast() }
        return String(host)
    }
}
