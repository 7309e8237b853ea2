import CCurl
import FoundationEssentials
import Synchronization

// A handshake that is held until somebody has decided about the server, and about a certificate of
// ours. See CTLS.h for how it is held.

extension Engine {
    /// The server has shown who it is. Nothing of the request has left.
    func evaluateServerTrust(of transfer: Transfer) {
        guard let handshake = transfer.handshake, let easy = transfer.easy,
            let url = transfer.request.url
        else { return }
        multi.hold(easy)
        // libcurl's own patience must not end while a person reads a fingerprint.
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, 1_000_000_000)
        perform(transfer.authentication.take(handshake.trust, from: url), for: transfer)
    }

    /// The server is trusted.
    func trustServer(of transfer: Transfer) {
        guard let handshake = transfer.handshake, let easy = transfer.easy,
            let url = transfer.request.url
        else { return }
        guard !transfer.pauses.contains(.suspended) else {
            detach(transfer)
            transfer.stage = .held
            return
        }
        // What one task's delegate has accepted is not for the tasks of others.
        if transfer.task.delegate != nil, !handshake.isTrusted { easy.set(CURLOPT_FORBID_REUSE, 1) }
        if transfer.identity(for: url) == nil,
            let names = handshake.clientCertificateAuthorities
        {
            perform(
                transfer.authentication.take(
                    clientCertificateFrom: names, at: url,
                    storage: transfer.settings.credentialStorage),
                for: transfer)
        } else {
            goOnWithHandshake(of: transfer)
        }
    }

    func goOnWithHandshake(of transfer: Transfer) {
        guard let handshake = transfer.handshake, let easy = transfer.easy else { return }
        guard !transfer.pauses.contains(.suspended) else {
            detach(transfer)
            transfer.stage = .held
            return
        }
        // A server that was tired of waiting is met again; it is trusted by now.
        if transfer.result != nil || multi.hasHungUp(easy), !transfer.needsFreshConnection {
            transfer.needsFreshConnection = true
            return connectAgain(transfer)
        }
        handshake.open()
        multi.letGo(easy)
    }

    /// Begins again with a client certificate.
    func present(_ transfer: Transfer) {
        if let origin = transfer.request.url.flatMap(Origin.init(of:)),
            let identity = transfer.authentication.keptIdentity(for: origin)
        {
            transfer.task.session.authenticationCache.withLock {
                $0.remember(identity, for: origin)
            }
        }
        connectAgain(transfer)
    }

    /// Begins the attempt again, with the same body: nothing of it has left.
    func connectAgain(_ transfer: Transfer) {
        detach(transfer)
        transfer.beginAttempt()
        connect(transfer)
    }

    // MARK: - What went wrong

    /// Libcurl's result in Apple's words.
    func failure(of transfer: Transfer, _ result: CURLcode, _ easy: EasyHandle) -> URLError {
        let text = easy.message
        var proxyTrouble: String?
        var error = URLError(
            curl: result, certificate: easy.number(CURLINFO_SSL_VERIFYRESULT),
            system: easy.number(CURLINFO_OS_ERRNO), text: text, url: transfer.request.url)
        var code = error.code
        if let status = transfer.tunnelHead?.head?.status, transfer.stage == .connecting,
            !(200..<300).contains(status)
        {
            code = .cannotConnectToHost
            proxyTrouble = transfer.proxy?.trouble("answered \(status)")
        } else if let proxy = transfer.proxy, transfer.stage == .connecting,
            [.cannotFindHost, .cannotConnectToHost].contains(code)
        {
            proxyTrouble = proxy.trouble("cannot be reached")
        } else if let text, text.contains(" alert "), let url = transfer.request.url {
            // TLS has no better way to say it than an alert, before or after the handshake.
            if transfer.identity(for: url) != nil {
                code = .clientCertificateRejected
            } else if text.contains("certificate required")
                || transfer.handshake?.wantsClientCertificate == true
            {
                code = .clientCertificateRequired
            }
        }
        if code == .clientCertificateRejected,
            let origin = transfer.request.url.flatMap(Origin.init(of:))
        {
            transfer.task.session.authenticationCache.withLock { $0.remember(nil, for: origin) }
        }
        if code != error.code || proxyTrouble != nil {
            error = URLError(
                code, failingURL: error.failingURL, underlyingText: proxyTrouble ?? text)
        }
        return error
    }
}

// MARK: - The attempt

extension Transfer {
    /// Whether its handshake is held now.
    var isHandshakePaused: Bool {
        stage == .connecting && result == nil && handshake?.isHeld == true
    }

    /// The client certificate to present.
    func identity(for url: URL) -> ClientIdentity? {
        if let identity = authentication.identity(for: url) { return identity }
        guard let origin = Origin(of: url) else { return nil }
        return task.session.authenticationCache.withLock { $0.identity(for: origin) }
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
    /// Sets all that concerns TLS for one attempt.
    func setTLS(for transfer: Transfer, to url: URL) {
        guard url.scheme?.lowercased() == "https" else { return }
        let settings = transfer.settings
        set(CURLOPT_SSLVERSION, settings.tls.curlVersion)
        var authorities =
            settings.certificateAuthoritiesFile?.path(percentEncoded: false)
            ?? CertificateAuthorities.systemFile
        if transfer.mayBeAsked(about: url), let handshake = TLSHandshake(host: url.hostToProve) {
            transfer.handshake = handshake
            handshake.whenHeld(markTransfer, transfer.context)
            set(CURLOPT_SSL_VERIFYHOST, 0)  // checked along with the chain
            _ = byteclub_easy_set_tls_callback(raw, attachHandshake)
            set(CURLOPT_SSL_CTX_DATA, pointer: transfer.context)
            // libcurl uses a connection, and a TLS session, for whoever names the same authorities:
            // another spelling keeps a server that one session has accepted from all others.
            authorities = authorities.map {
                CertificateAuthorities.spelling(of: $0, number: transfer.task.session.number)
            }
            // A resumed session shows no certificates.
            if transfer.task.delegate != nil { set(CURLOPT_SSL_SESSIONID_CACHE, 0) }
        }
        if let authorities {
            set(CURLOPT_CAINFO, authorities)
            set(CURLOPT_CAPATH, nil)  // with it, libcurl reads the file anew for each connection
            // A file of the program's own is small, and what it says now is what counts.
            if settings.certificateAuthoritiesFile != nil { set(CURLOPT_CA_CACHE_TIMEOUT, 0) }
        } else if transfer.handshake != nil, let folder = CertificateAuthorities.systemFolder {
            set(
                CURLOPT_CAPATH, folder + ":/nonexistent/session-\(transfer.task.session.number)")
        }
        if let identity = transfer.identity(for: url) { set(identity) }
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

private func markTransfer(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Transfer.from(context).mark()
}

private func attachHandshake(
    easy: UnsafeMutableRawPointer?, tls: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let context, let tls else { return CURLE_SSL_CONNECT_ERROR }
    return Transfer.from(context).attachHandshake(to: tls) ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
}

extension Transfer {
    fileprivate func attachHandshake(to context: UnsafeMutableRawPointer) -> Bool {
        // The first TLS of a connection through a TLS proxy is the proxy's, which libcurl judges.
        if proxy?.kind == .https, !hasMetProxy {
            hasMetProxy = true
            return true
        }
        return handshake?.attach(to: context) ?? false
    }
}
