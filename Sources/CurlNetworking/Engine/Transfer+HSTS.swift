import FoundationEssentials

// Where a transfer meets `Strict-Transport-Security`.

extension SessionSettings {
    /// The request as it may go out: over TLS, if its host is known to want that (RFC 6797 §8.3).
    ///
    /// Not over a Unix socket: who listens there is not the host.
    func secured(_ request: URLRequest) -> URLRequest {
        guard let storage = web.hsts, unixSocketPath == nil, let url = request.url,
            url.scheme?.lowercased() == "http", let host = url.host(percentEncoded: false),
            storage.requiresTLS(host),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return request }
        parts.scheme = "https"
        if parts.port == 80 { parts.port = nil }
        guard let secured = parts.url else { return request }
        var request = request
        request.url = secured
        return request
    }
}

extension Transfer {
    /// Takes what a server says about how it wants to be reached, if there is no doubt that it is that server.
    func noteTransportSecurity(_ head: ResponseHead) {
        guard let storage = settings.web.hsts, settings.unixSocketPath == nil,
            let field = head.headers["Strict-Transport-Security"],
            let url = request.url, url.scheme?.lowercased() == "https",
            let host = url.host(percentEncoded: false),
            let policy = StrictTransportSecurity(field)
        else { return }
        // A delegate may have trusted a server that the system does not: that does not speak for the host.
        if let handshake = attempt.tls.handshake, !handshake.hasProvedServer { return }
        storage.note(policy, from: host)
    }
}
