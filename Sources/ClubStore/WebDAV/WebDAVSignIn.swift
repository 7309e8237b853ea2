import CurlNetworking
import FoundationEssentials
import Synchronization

/// Shows the credentials to their own server and to no other, in the way it wants them.
///
/// A password is sent along at once where nobody can listen, which spares a request; from a server
/// that has asked for Digest on, only the session's proofs are.
final class WebDAVSignIn: Sendable {
    private let credentials: WebDAVCredentials
    private let address: WebDAVAddress
    private let pinnedKey: ServerKey?
    private let waitsForChallenge = Mutex(false)
    private let refused = Mutex<UntrustedServer?>(nil)

    init(
        _ credentials: WebDAVCredentials, at address: WebDAVAddress, pinnedKey: ServerKey? = nil
    ) {
        self.credentials = credentials
        self.address = address
        self.pinnedKey = pinnedKey
    }

    /// The server that was refused last, because nobody vouches for it or its key is another one.
    var untrustedServer: UntrustedServer? { refused.withLock { $0 } }

    /// A pinned key is the only one, whoever vouches for others.
    private func answer(
        to trust: ServerTrust
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        if let pinnedKey {
            if trust.certificates.first?.publicKeySHA256 == pinnedKey.sha256 {
                return (.useCredential, URLCredential(trust: trust))
            }
        } else if trust.isTrusted {
            return (.performDefaultHandling, nil)
        }
        refused.withLock { $0 = UntrustedServer(trust) }
        return (.rejectProtectionSpace, nil)
    }

    /// The field to send along without being asked; nil for none.
    func authorization(isSecure: Bool) -> String? {
        guard isSecure || address.isLoopback, !waitsForChallenge.withLock({ $0 }) else {
            return nil
        }
        return credentials.authorization
    }

    /// Whether a refusal tells that this server wants Digest and not what the request showed, so that
    /// asking again without that will do.
    func learns(from response: HTTPURLResponse, to request: URLRequest) -> Bool {
        guard response.statusCode == 401, case .password = credentials,
            request.value(forHTTPHeaderField: "Authorization") != nil,
            let schemes = response.value(forHTTPHeaderField: "WWW-Authenticate")?.lowercased(),
            schemes.contains("digest ")
        else { return false }
        waitsForChallenge.withLock { $0 = true }
        return true
    }

    /// What to say when the session is asked.
    func answer(
        to challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        if let trust = space.serverTrust, !space.isProxy() { return answer(to: trust) }
        let isDigest = space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
        let isBasic = space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        guard case .password(let user, let password) = credentials, !space.isProxy(),
            space.host.lowercased() == address.host, space.port == address.port,
            challenge.previousFailureCount == 0,
            isDigest || (isBasic && (space.protocol == "https" || address.isLoopback))
        else { return (.performDefaultHandling, nil) }
        if isDigest { waitsForChallenge.withLock { $0 = true } }
        return (
            .useCredential,
            URLCredential(user: user, password: password, persistence: .forSession)
        )
    }
}
