import CCurl
import FoundationEssentials
import Synchronization

// A handshake that is held until somebody has decided about the server, and about a certificate of
// ours. See CTLS.h for how it is held.

extension Engine {
    /// The server has shown who it is. Nothing of the request has left.
    func meetServer(of load: Load) {
        guard let handshake = load.handshake, let easy = load.easy, let url = load.request.url
        else { return }
        multi.hold(easy)
        // libcurl's own patience must not end while a person reads a fingerprint.
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, 1_000_000_000)
        perform(load.authentication.take(handshake.trust, from: url), for: load)
    }

    /// The server is trusted.
    func trustServer(of load: Load) {
        guard let handshake = load.handshake, let easy = load.easy, let url = load.request.url
        else { return }
        guard !load.pauses.contains(.suspended) else {
            detach(load)
            load.stage = .held
            return
        }
        // What one task's delegate has accepted is not for the tasks of others.
        if load.task.delegate != nil, !handshake.isTrusted { easy.set(CURLOPT_FORBID_REUSE, 1) }
        if load.identity(for: url) == nil,
            let names = handshake.clientCertificateAuthorities
        {
            perform(
                load.authentication.take(
                    clientCertificateFrom: names, at: url,
                    storage: load.settings.credentialStorage),
                for: load)
        } else {
            goOnWithHandshake(of: load)
        }
    }

    func goOnWithHandshake(of load: Load) {
        guard let handshake = load.handshake, let easy = load.easy else { return }
        guard !load.pauses.contains(.suspended) else {
            detach(load)
            load.stage = .held
            return
        }
        // A server that was tired of waiting is met again; it is trusted by now.
        if load.verdict != nil || multi.hasHungUp(easy), !load.needsFreshConnection {
            load.needsFreshConnection = true
            return connectAgain(load)
        }
        handshake.open()
        multi.letGo(easy)
    }

    /// Begins again with a client certificate.
    func present(_ load: Load) {
        if let origin = load.request.url.flatMap(Origin.init(of:)),
            let identity = load.authentication.keptIdentity(for: origin)
        {
            load.task.session.proofs.withLock { $0.remember(identity, for: origin) }
        }
        connectAgain(load)
    }

    /// Begins the leg again, with the same body: nothing of it has left.
    func connectAgain(_ load: Load) {
        detach(load)
        load.beginLeg()
        connect(load)
    }

    // MARK: - What went wrong

    /// Libcurl's verdict in Apple's words.
    func failure(of load: Load, _ verdict: CURLcode, _ easy: EasyHandle) -> URLError {
        let text = easy.message
        var proxyTrouble: String?
        var error = URLError(
            curl: verdict, certificate: easy.number(CURLINFO_SSL_VERIFYRESULT),
            system: easy.number(CURLINFO_OS_ERRNO), text: text, url: load.request.url)
        var code = error.code
        if let status = load.tunnelHead?.head?.status, load.stage == .connecting,
            !(200..<300).contains(status)
        {
            code = .cannotConnectToHost
            proxyTrouble = load.proxy?.trouble("answered \(status)")
        } else if let proxy = load.proxy, load.stage == .connecting,
            [.cannotFindHost, .cannotConnectToHost].contains(code)
        {
            proxyTrouble = proxy.trouble("cannot be reached")
        } else if let text, text.contains(" alert "), let url = load.request.url {
            // TLS has no better way to say it than an alert, before or after the handshake.
            if load.identity(for: url) != nil {
                code = .clientCertificateRejected
            } else if text.contains("certificate required")
                || load.handshake?.wantsClientCertificate == true
            {
                code = .clientCertificateRequired
            }
        }
        if code == .clientCertificateRejected,
            let origin = load.request.url.flatMap(Origin.init(of:))
        {
            load.task.session.proofs.withLock { $0.remember(nil, for: origin) }
        }
        if code != error.code || proxyTrouble != nil {
            error = URLError(
                code, failingURL: error.failingURL, underlyingText: proxyTrouble ?? text)
        }
        return error
    }
}

// MARK: - The leg

extension Load {
    /// Whether its handshake is held now.
    var isHeld: Bool {
        stage == .connecting && verdict == nil && handshake?.isHeld == true
    }

    /// The client certificate to present.
    func identity(for url: URL) -> ClientIdentity? {
        if let identity = authentication.identity(for: url) { return identity }
        guard let origin = Origin(of: url) else { return nil }
        return task.session.proofs.withLock { $0.identity(for: origin) }
    }

    /// Whether somebody may have to say about the server, or about a certificate of ours.
    func mayBeAsked(about url: URL) -> Bool {
        if task.delegate != nil || task.session.delegate != nil { return true }
        guard let storage = settings.credentialStorage, !storage.isEmpty,
            let space = ChallengedRequest(url, method: "").space(
                of: .server, method: NSURLAuthenticationMethodClientCertificate)
        else { return false }
        return storage.defaultCredential(for: space)?.identity != nil
    }
}

extension EasyHandle {
    /// Sets all that concerns TLS for one leg.
    func setTLS(for load: Load, to url: URL) {
        guard url.scheme?.lowercased() == "https" else { return }
        let settings = load.settings
        set(CURLOPT_SSLVERSION, settings.tls.curlVersion)
        var authorities =
            settings.certificateAuthoritiesFile?.path(percentEncoded: false)
            ?? CertificateAuthorities.systemFile
        if load.mayBeAsked(about: url), let handshake = TLSHandshake(host: url.hostToProve) {
            load.handshake = handshake
            handshake.whenHeld(markLoad, load.context)
            set(CURLOPT_SSL_VERIFYHOST, 0)  // checked along with the chain
            _ = byteclub_easy_set_tls_callback(raw, attachHandshake)
            set(CURLOPT_SSL_CTX_DATA, pointer: load.context)
            // libcurl uses a connection, and a TLS session, for whoever names the same authorities:
            // another spelling keeps a server that one session has accepted from all others.
            authorities = authorities.map {
                CertificateAuthorities.spelling(of: $0, number: load.task.session.number)
            }
            // A resumed session shows no certificates.
            if load.task.delegate != nil { set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
        }
        if let authorities {
            set(CURLOPT_CAINFO, authorities)
            set(CURLOPT_CAPATH, nil)  // with it, libcurl reads the file anew for each connection
            // A file of the program's own is small, and what it says now is what counts.
            if settings.certificateAuthoritiesFile != nil { set(CURLOPT_CA_CACHE_TIMEOUT, 0) }
        } else if load.handshake != nil, let folder = CertificateAuthorities.systemFolder {
            set(
                CURLOPT_CAPATH, folder + ":/nonexistent/session-\(load.task.session.number)")
        }
        if let identity = load.identity(for: url) { set(identity) }
    }

    private func set(_ identity: ClientIdentity) {
        switch identity.format {
        case .pem(let certificate, let key):
            set(CURLOPT_SSLCERT, certificate.path(percentEncoded: false))
            set(CURLOPT_SSLKEY, (key ?? certificate).path(percentEncoded: false))
        case .pkcs12(let file):
            set(CURLOPT_SSLCERT, file.path(percentEncoded: false))
            set(CURLOPT_SSLCERTTYPE, "P12")
        }
        // Without one, OpenSSL would ask whoever sits at the terminal.
        set(CURLOPT_KEYPASSWD, identity.passphrase ?? "")
    }
}

/// Where libcurl finds whom to trust.
enum CertificateAuthorities {
    /// As libcurl was built: a file of PEM; nil when it has none.
    static let systemFile = byteclub_curl_authorities_file().map { String(cString: $0) }

    static let systemFolder = byteclub_curl_authorities_folder().map { String(cString: $0) }

    /// Another name of the same file for each number, 0 and up: `/etc/ssl/././/certificates.crt`.
    static func spelling(of path: String, number: Int) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path }
        var marks = ""
        var rest = number + 1
        while rest > 0 {
            marks += rest & 1 == 0 ? "./" : ".//"
            rest >>= 1
        }
        return path[...slash] + marks + path[path.index(after: slash)...]
    }
}

extension URL {
    /// The name or address a certificate has to be for.
    fileprivate var hostToProve: String {
        var host = (host(percentEncoded: false) ?? "")[...]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host.hasSuffix(".") { host = host.dropLast() }
        return String(host)
    }
}

private func markLoad(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Load.from(context).mark()
}

private func attachHandshake(
    easy: UnsafeMutableRawPointer?, tls: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let context, let tls else { return CURLE_SSL_CONNECT_ERROR }
    return Load.from(context).attachHandshake(to: tls) ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
}

extension Load {
    fileprivate func attachHandshake(to context: UnsafeMutableRawPointer) -> Bool {
        // The first TLS of a connection through a TLS proxy is the proxy's, which libcurl judges.
        if proxy?.kind == .https, !hasMetProxy {
            hasMetProxy = true
            return true
        }
        return handshake?.attach(to: context) ?? false
    }
}
