import CCurl
import FoundationEssentials

extension EasyHandle {
    /// How many bytes are read from a socket at a time: with what is on its way to the delegate they
    /// stay in the processor's own cache.
    static let receiveBufferByteCount = 128 << 10
    /// How many bytes of a large body are given to a socket at a time.
    static let sendBufferByteCount = 256 << 10

    /// Sets everything for one attempt on a handle that is new or was reset, except for the callbacks.
    ///
    /// - Throws: `.badURL` for a request that cannot be written.
    func configure(_ configuration: AttemptConfiguration) throws(URLError) {
        try configuration.validate()
        set(CURLOPT_URL, configuration.url.absoluteString)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)  // a slow name look-up is left behind, not waited for
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_HTTP_VERSION, configuration.version.curlVersion)
        if configuration.version.mayMultiplex {
            setStreamWeight(ofPriority: configuration.streamPriority)
        }
        set(CURLOPT_USERAGENT, Self.userAgent)
        // The timers that count are the engine's.
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
                ReceivingPace.portion(rate: $0, atMost: Self.receiveBufferByteCount)
            } ?? Self.receiveBufferByteCount)
        if configuration.isRaw { set(CURLOPT_HTTPPROXYTUNNEL, 1) }
        if let codings = configuration.acceptedCodings { set(CURLOPT_ACCEPT_ENCODING, codings) }
        if !configuration.letsLibcurlDecode(.current) { set(CURLOPT_HTTP_CONTENT_DECODING, 0) }
        let lines = configuration.headerLines
        makeRoom(forHead: lines, of: configuration)
        setHeaderLines(lines)
    }

    /// Before 8.7 libcurl loses what of a head without a body does not fit twice into the room for what is sent,
    /// and waits for an answer to half a request.
    private func makeRoom(forHead lines: [String], of configuration: AttemptConfiguration) {
        // The names of the host, the method and the program, with what libcurl adds.
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

    /// How much of a connection with many streams is for this one, beside the others (RFC 7540 §5.3).
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
            // With a body of its own libcurl would wait for one in the response, too.
            set(CURLOPT_NOBODY, 1)
        } else if sends {
            // The same path for every method: it adds no content type and no form.
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
        // Never what libcurl would find in the environment.
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_PROXY, proxy?.server.curlText ?? "")
        guard let proxy else { return }
        guard proxy.server.isHTTP else {
            // SOCKS has a sign-in of its own, outside of HTTP.
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
            set(CURLOPT_CAPATH, nil)  // with it, libcurl reads the file again for each connection
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
        // Without one, OpenSSL would ask at the terminal.
        set(CURLOPT_KEYPASSWD, identity.passphrase ?? "")
    }
}
