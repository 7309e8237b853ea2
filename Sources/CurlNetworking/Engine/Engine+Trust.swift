import CCurl
import FoundationEssentials
import Synchronization

// A handshake that is paused until somebody has decided about the server, and about a certificate of
// ours. See CTLS.h for how it is paused.

extension Engine {
    /// The server has shown its certificate. Nothing of the request has left.
    func evaluateServerTrust(of transfer: Transfer) {
        guard let handshake = transfer.attempt.tls.handshake, let easy = transfer.attempt.easy,
            let url = transfer.request.url
        else { return }
        multi.hold(easy)
        // libcurl's own timeout must not end while a person reads a fingerprint.
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, 1_000_000_000)
        perform(transfer.authentication.take(handshake.trust, from: url), for: transfer)
    }

    func trustServer(of transfer: Transfer) {
        guard let handshake = transfer.attempt.tls.handshake, let easy = transfer.attempt.easy,
            let url = transfer.request.url
        else { return }
        guard !transfer.isSuspended else { return holdConnecting(transfer) }
        // What one task's delegate has accepted is not for the tasks of others.
        if transfer.task.delegate != nil, !handshake.isTrusted {
            // A connection with room for others cannot be kept from them.
            if transfer.attempt.http.version.mayMultiplex {
                transfer.history.needsHTTP1 = true
                return connectAgain(transfer)
            }
            easy.set(CURLOPT_FORBID_REUSE, 1)
        }
        guard transfer.identity(for: url) == nil,
            let names = handshake.clientCertificateAuthorities
        else { return resumeHandshake(of: transfer) }
        perform(
            transfer.authentication.take(
                clientCertificateFrom: names, at: url,
                storage: transfer.settings.credentialStorage),
            for: transfer)
    }

    func resumeHandshake(of transfer: Transfer) {
        guard let handshake = transfer.attempt.tls.handshake, let easy = transfer.attempt.easy
        else { return }
        guard !transfer.isSuspended else { return holdConnecting(transfer) }
        // A server that was tired of waiting is connected to again; it is trusted by now.
        if transfer.attempt.result != nil || multi.hasHungUp(easy),
            !transfer.history.needsFreshConnection
        {
            transfer.history.needsFreshConnection = true
            return connectAgain(transfer)
        }
        handshake.open()
        multi.letGo(easy)
    }

    /// Begins again with a client certificate.
    func presentCertificate(_ transfer: Transfer) {
        if let origin = transfer.request.url.flatMap(Origin.init(of:)),
            let identity = transfer.authentication.keptIdentity(for: origin)
        {
            transfer.task.session.authenticationCache.withLock {
                $0.remember(identity, for: origin)
            }
        }
        connectAgain(transfer)
    }
}

extension Transfer {
    var isHandshakePaused: Bool {
        state.isConnecting && attempt.result == nil && attempt.tls.handshake?.isHeld == true
    }

    /// The client certificate to present.
    func identity(for url: URL) -> ClientIdentity? {
        if let identity = authentication.identity(for: url) { return identity }
        guard let origin = Origin(of: url) else { return nil }
        return task.session.authenticationCache.withLock { $0.identity(for: origin) }
    }

    /// Whether somebody may have to decide about the server, or about a client certificate.
    func mayBeAsked(about url: URL) -> Bool {
        if task.delegate != nil || task.session.delegate != nil { return true }
        guard let storage = settings.credentialStorage, !storage.isEmpty,
            let space = ChallengedRequest(url, method: "").space(
                of: .server, method: NSURLAuthenticationMethodClientCertificate)
        else { return false }
        return storage.defaultCredential(for: space)?.identity != nil
    }
}
