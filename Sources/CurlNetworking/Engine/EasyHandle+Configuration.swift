import CByteClubCurl
import FoundationEssentials

extension EasyHandle {
    /// How many bytes libcurl reads at a time: small enough for the processor's cache, together with what is
    /// being delivered.
    static let receiveBufferByteCount = 128 << 10
    /// How many bytes of a large body are sent at a time.
    static let sendBufferByteCount = 256 << 10

    /// Sets all options for one attempt, except for the callbacks. The handle must be new or reset.
    ///
    /// - Throws: `.badURL` for a request that cannot be represented; `.unknown` if libcurl refuses an option.
    func configure(_ configuration: AttemptConfiguration) throws(URLError) {
        try configuration.validate()
        set(CURLOPT_URL, configuration.url.absoluteString)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)  // do not wait for a slow name lookup when closing
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_HTTP_VERSION, configuration.version.curlVersion)
        if configuration.version.mayMultiplex {
            setStreamWeight(ofPriority: configuration.streamPriority)
        }
        set(CURLOPT_USERAGENT, Self.userAgent)
        // libcurl's own timeout is a fallback; the engine has the timers that matter.
        let timeout = configuration.connectTimeout
        set(
            CURLOPT_CONNECTTIMEOUT_MS,
            timeout > 0 && timeout < 1e6 ? max(1, Int(timeout * 1000)) : 1_000_000_000)
        setConnection(configuration.connection)
        if let path = configuration.unixSocketPath { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        setProxy(configuration.proxy)
        if let tls = configuration.tls { setTLS(tls) }
        setMethodAndBody(configuration.method, configuration.body)
        set(
            CURLOPT_BUFFERSIZE,
            configuration.receivingRate.map {
                ReceiveRateLimiter.portion(rate: $0, atMost: Self.receiveBufferByteCount)
            } ?? Self.receiveBufferByteCount)
        if configuration.isRaw { set(CURLOPT_HTTPPROXYTUNNEL, 1) }
        if let codings = configuration.acceptedCodings { set(CURLOPT_ACCEPT_ENCODING, codings) }
        if !configuration.letsLibcurlDecode(.current) { set(CURLOPT_HTTP_CONTENT_DECODING, 0) }
        let lines = configuration.headerLines
        makeRoom(forHead: lines, of: configuration)
        setHeaderLines(lines)
        try checkOptions()
    }

    /// Before 8.7, libcurl loses the part of a head without a body that exceeds twice the upload buffer, and
    /// waits for a response to half a request.
    private func makeRoom(forHead lines: [String], of configuration: AttemptConfiguration) {
        // An upper bound for the host, the method, the user agent and libcurl's own fields.
        let own = 1 << 10
        let count = lines.reduce(configuration.url.absoluteString.utf8.count + own) {
            $0 + $1.utf8.count + 2
        }
        guard count > 64 << 10 else { return }
        set(CURLOPT_UPLOAD_BUFFERSIZE, min(max(count, Self.sendBufferByteCount), 2 << 20))
    }

    /// `CurlNetworking libcurl/7.88.1`
    private static let userAgent =
        "CurlNetworking " + String(cString: curl_version()).prefix { $0 != " " }

    /// Sets the stream's share of a multiplexed connection (RFC 7540 §5.3).
    func setStreamWeight(ofPriority priority: Float) {
        set(CURLOPT_STREAM_WEIGHT, StreamWeight.of(priority))
    }

    private func setConnection(_ connection: AttemptConfiguration.Connection) {
        switch connection {
        case .any: break
        case .new: set(CURLOPT_FRESH_CONNECT, 1)
        case .youngerThan(let seconds): set(CURLOPT_MAXLIFETIME_CONN, seconds)
        }
    }

    private func setMethodAndBody(_ method: String, _ body: AttemptConfiguration.Body) {
        var sends = ["POST", "PUT", "PATCH"].contains(method)
        var (byteCount, start): (Int64, Int64) = (0, 0)
        if case .some(let count, let offset) = body {
            sends = true
            (byteCount, start) = (count, offset)
        }
        if method == "HEAD" {
            // With a request body, libcurl would also expect a response body.
            set(CURLOPT_NOBODY, 1)
        } else if sends {
            // Used for every method, because it adds no content type and no form.
            set(CURLOPT_UPLOAD, 1)
            set(CURLOPT_INFILESIZE_LARGE, offset: byteCount < 0 ? -1 : byteCount - start)
            set(CURLOPT_CUSTOMREQUEST, method)
        } else {
            set(CURLOPT_HTTPGET, 1)
            if method != "GET" { set(CURLOPT_CUSTOMREQUEST, method) }
        }
        if byteCount < 0 || byteCount > 64 << 10 {
            set(CURLOPT_UPLOAD_BUFFERSIZE, Self.sendBufferByteCount)
        }
    }

    private func setProxy(_ proxy: AttemptConfiguration.Proxy?) {
        // Ignore `NO_PROXY` in the environment.
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_PROXY, proxy?.server.curlText ?? "")
        guard let proxy else { return }
        guard proxy.server.isHTTP else {
            // SOCKS has its own authentication, outside of HTTP.
            set(CURLOPT_PROXYUSERNAME, proxy.server.user)
            set(CURLOPT_PROXYPASSWORD, proxy.server.password)
            return
        }
        let name = AuthenticationParty.proxy.answerField
        setProxyHeaderLines(
            proxy.authorization.map { [name + ": " + $0.withoutLineBreaks] } ?? [])
    }

    private func setTLS(_ tls: AttemptConfiguration.TLS) {
        set(CURLOPT_SSLVERSION, tls.version)
        if tls.checksServerItself { set(CURLOPT_SSL_VERIFYHOST, 0) }
        if !tls.resumesSessions { set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
        if let file = tls.authoritiesFile {
            set(CURLOPT_CAINFO, file)
            // With a path set, libcurl reads the file again for each connection.
            set(CURLOPT_CAPATH, nil)
            if tls.readsAuthoritiesAgain { set(CURLOPT_CA_CACHE_TIMEOUT, 0) }
        } else if let folder = tls.authoritiesFolder {
            set(CURLOPT_CAPATH, folder)
        }
        if let identity = tls.identity { setIdentity(identity) }
    }

    private func setIdentity(_ identity: ClientIdentity) {
        switch identity.format {
        case .pem(let certificate, let key):
            set(CURLOPT_SSLCERT, certificate.path(percentEncoded: false))
            set(CURLOPT_SSLKEY, (key ?? certificate).path(percentEncoded: false))
        case .pkcs12(let file):
            set(CURLOPT_SSLCERT, file.path(percentEncoded: false))
            set(CURLOPT_SSLCERTTYPE, "P12")
        }
        // Without a passphrase, OpenSSL would ask for one at the terminal.
        set(CURLOPT_KEYPASSWD, identity.passphrase ?? "")
    }
}
