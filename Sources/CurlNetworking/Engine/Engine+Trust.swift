import CByteClubCurl
import FoundationEssentials
import Synchronization

// Handshakes that are paused until the server is trusted and a client certificate is chosen. CByteClubTLS.h
// describes how.

extension Engine {
    /// Evaluates the server's certificates. Nothing of the request has been sent.
    func evaluateServerTrust(of transfer: Transfer) {
        guard let handshake = transfer.attempt.tls.handshake, let easy = transfer.attempt.easy,
            let url = transfer.request.url
        else { return }
        multi.pause(easy)
        // libcurl's timeout must not expire while the delegate, or a person, decides.
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, 1_000_000_000)
        perform(transfer.authentication.take(handshake.trust, from: url), for: transfer)
    }

    func trustServer(of transfer: Transfer) {
        guard let handshake = transfer.attempt.tls.handshake, let easy = transfer.attempt.easy,
            let url = transfer.request.url
        else { return }
        guard !transfer.isSuspended else { return suspendConnecting(transfer) }
        // A decision of one task's delegate must not apply to other tasks.
        if transfer.task.delegate != nil, !handshake.isTrusted {
            // A multiplexed connection could be used by other tasks.
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
        guard !transfer.isSuspended else { return suspendConnecting(transfer) }
        // If the server has closed the connection meanwhile, connect again; it is trusted now.
        if transfer.attempt.result != nil || multi.hasHungUp(easy),
            !transfer.history.needsFreshConnection
        {
            transfer.history.needsFreshConnection = true
            return connectAgain(transfer)
        }
        handshake.open()
        multi.resume(easy)
    }

    /// Begins a new attempt with a client certificate.
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
        state.isConnecting && attempt.result == nil && attempt.tls.handshake?.isPaused == true
    }

    /// The client certificate to present.
    func identity(for url: URL) -> ClientIdentity? {
        if let identity = authentication.identity(for: url) { return identity }
        guard let origin = Origin(of: url) else { return nil }
        return task.session.authenticationCache.withLock { $0.identity(for: origin) }
    }

    /// Whether the delegate may be asked about the server or a client certificate.
    func mayBeAsked(about url: URL) -> Bool {
        if task.delegate != nil || task.session.delegate != nil { return true }
        guard let storage = settings.credentialStorage, !storage.isEmpty,
            let space = ChallengedRequest(url, method: "").space(
                of: .server, method: NSURLAuthenticationMethodClientCertificate)
        else { return false }
        return storage.defaultCredential(for: space)?.identity != nil
    }
}
