import FoundationEssentials
import Synchronization

// How an attempt's request is sent.

extension Engine {
    /// Creates the configuration of an attempt, as late as possible: while a transfer is queued, other
    /// responses may set cookies.
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
        attempt.http.expectsContinue = configuration.expectsContinue
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
    /// The fields of the attempt's request, with cookies and other fields that the session adds, and without
    /// those that the cache adds: these are the fields that a response's `Vary` refers to.
    private var fields: HTTPHeaderFields {
        var fields = request.headers
        if var more = settings.additionalHeaders {
            if history.hasLeftOrigin {
                for name in RedirectPolicy.originFields { more[name] = nil }
            }
            fields.fill(from: more)
        }
        if fields["Cookie"] == nil { fields["Cookie"] = cookies }
        if history.isExpectationRefused { fields["Expect"] = nil }
        return fields
    }

    /// The cookie storage's cookies for the attempt. They are never part of the request itself, so that a
    /// redirect cannot take them to another host.
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

    /// Returns the fields to send. Drops a stored response that was planned with other cookies or for another
    /// account.
    fileprivate func takeFields() -> HTTPHeaderFields {
        var fields = fields
        attempt.cache.requestTime = Date()
        let account = attempt.authorization.account
        if let plan = attempt.cache.plan,
            plan.request.headers["Cookie"] != fields["Cookie"] || plan.account != account
        {
            var request = plan.request
            request.headers = fields
            attempt.cache.plan = plan.withoutEntry(for: request, account: account)
        }
        attempt.cache.plan?.sendingStamp = settings.web.cache?.responses.stamp
        for field in attempt.cache.plan?.addedFields.fields ?? [] {
            fields[field.name] = field.value
        }
        for field in upload?.creationFields ?? [] { fields[field.name] = field.value }
        for field in attempt.authorization.fields { fields[field.name] = field.value }
        if fields["Content-Type"] == nil { fields["Content-Type"] = attempt.assumedContentType }
        return fields
    }

    /// The proxy. A `Proxy-Authorization` of the request is used unless there are better credentials.
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
        // libcurl shares connections and TLS sessions among transfers with the same path to the authorities.
        // Another spelling of the path separates a server that only one session has accepted, and connections
        // from before a `flush` or `reset`.
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
    /// Which connections may be used. An attempt without permission to open one accepts any existing one.
    var usableConnections: AttemptConfiguration.Connection {
        if history.needsFreshConnection, attempt.http.mayOpenConnection { return .new }
        return checksAgeOfConnections ? .any : task.session.usableConnections
    }

    /// Whether the engine tracks the age of connections and rejects old ones. libcurl would check that of idle
    /// connections only, and close all that are older, those of other sessions too.
    ///
    /// Connections to a local socket have no ports to be told apart by.
    var checksAgeOfConnections: Bool { settings.unixSocketPath == nil }
}

extension URLSession {
    /// Connections since the last `flush` or `reset`. libcurl counts their age in whole seconds.
    var usableConnections: AttemptConfiguration.Connection {
        guard let age = secondsSinceReset else { return .any }
        return age < 2 ? .new : .youngerThan(age - 1)
    }
}

extension URL {
    /// The name or address that a certificate must match.
    fileprivate var hostToVerify: String {
        var host = (host(percentEncoded: false) ?? "")[...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host.hasSuffix(".") { host = host.dropLast() }
        return String(host)
    }
}
