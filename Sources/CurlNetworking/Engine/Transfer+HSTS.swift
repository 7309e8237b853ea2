import FoundationEssentials

// How a transfer applies `Strict-Transport-Security`.

extension SessionSettings {
    /// Returns the request with https, if its host is known to require that (RFC 6797 §8.3).
    ///
    /// Unchanged over a Unix socket, where the peer is not the host.
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
    /// Stores a server's policy, if the server was authenticated.
    func noteTransportSecurity(_ head: ResponseHead) {
        guard let storage = settings.web.hsts, settings.unixSocketPath == nil,
            let field = head.headers["Strict-Transport-Security"],
            let url = request.url, url.scheme?.lowercased() == "https",
            let host = url.host(percentEncoded: false),
            let policy = StrictTransportSecurity(field)
        else { return }
        // A server that only the delegate has trusted may not set a policy for the host.
        guard isServerVerified else { return }
        storage.note(policy, from: host)
    }

    /// Whether the system trusts the server of the attempt's connection. Always true without TLS.
    var isServerVerified: Bool {
        // Without a handshake that the delegate takes part in, libcurl has verified the server.
        guard attempt.tls.handshake != nil else { return true }
        let socket = attempt.noted.connection.flatMap { attempt.sockets.sockets[$0] }
        return socket?.isServerVerified == true
    }
}
