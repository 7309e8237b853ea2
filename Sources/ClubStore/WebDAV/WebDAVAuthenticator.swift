import CurlNetworking
import FoundationEssentials
import Synchronization

/// Shows the credentials to their own server and to no other, in the way it wants them.
///
/// Over TLS a password is sent along at once, which spares a request, and in the clear on this computer
/// from when the server has asked for it; to a server that wants Digest only the session's proofs go, in
/// later runs of the program too.
final class WebDAVAuthenticator: Sendable {
    /// What a server has asked for.
    enum Way: String, Codable, Sendable {
        case basic, digest
    }

    private let credentials: WebDAVCredentials
    private let address: WebDAVAddress
    private let pinnedKey: ServerKey?
    private let way: Mutex<Way?>
    private let didLearn: @Sendable (Way) -> Void
    private let refused = Mutex<UntrustedServer?>(nil)

    /// - Parameters:
    ///   - way: What an earlier run of the program has learned.
    ///   - didLearn: Told of what this one learns.
    init(
        _ credentials: WebDAVCredentials, at address: WebDAVAddress, pinnedKey: ServerKey? = nil,
        way: Way? = nil, didLearn: @escaping @Sendable (Way) -> Void = { _ in }
    ) {
        self.way = Mutex(way)
        self.didLearn = didLearn
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
        guard isSecure || address.isLoopback else { return nil }
        if case .password = credentials {
            let way = way.withLock { $0 }
            guard way == .basic || (way == nil && isSecure) else { return nil }
        }
        return credentials.authorization
    }

    private func learn(_ new: Way) {
        let isNew = way.withLock { way in
            defer { way = new }
            return way != new
        }
        if isNew { didLearn(new) }
    }

    /// Whether a refusal tells that this server wants Digest and not what the request showed, so that
    /// asking again without that will do.
    func learns(from response: HTTPURLResponse, to request: URLRequest) -> Bool {
        guard response.statusCode == 401, case .password = credentials,
            request.value(forHTTPHeaderField: "Authorization") != nil,
            let schemes = response.value(forHTTPHeaderField: "WWW-Authenticate")?.lowercased(),
            schemes.contains("digest ")
        else { return false }
        learn(.digest)
        return true
    }

    /// What to say when the session is asked.
    ///
    /// - Parameter request: What the server has refused. One that showed the password is not sent again
    ///   with the same.
    func answer(
        to challenge: URLAuthenticationChallenge, of request: URLRequest?
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        if let trust = space.serverTrust, !space.isProxy() { return answer(to: trust) }
        let isDigest = space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
        let isBasic = space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        guard case .password(let user, let password) = credentials, !space.isProxy(),
            space.host.lowercased() == address.host, space.port == address.port,
            challenge.previousFailureCount == 0,
            isDigest
                || (isBasic && request?.value(forHTTPHeaderField: "Authorization") == nil
                    && (space.protocol == "https" || address.isLoopback))
        else { return (.performDefaultHandling, nil) }
        learn(isDigest ? .digest : .basic)
        return (
            .useCredential,
            URLCredential(user: user, password: password, persistence: .forSession)
        )
    }
}
