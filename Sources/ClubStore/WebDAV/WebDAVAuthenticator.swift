import CurlNetworking
import FoundationEssentials
import Synchronization

/// Sends the credentials to their own server only, with the scheme it asks for.
///
/// Over TLS a Basic password is sent preemptively, which saves a request; without TLS on this
/// computer, only after the server has asked for it. A server that wants Digest gets only the
/// session's authorization fields, in later runs of the program too.
final class WebDAVAuthenticator: Sendable {
    /// The scheme that a server has asked for.
    enum Way: String, Codable, Sendable {
        case basic, digest
    }

    private let credentials: WebDAVCredentials
    /// What a server must not make us show.
    let secrets: EchoedSecrets
    private let address: WebDAVAddress
    private let pinnedKey: ServerKey?
    private let way: Mutex<Way?>
    private let didLearn: @Sendable (Way) -> Void
    private let refused = Mutex<UntrustedServer?>(nil)

    /// - Parameters:
    ///   - way: The scheme that an earlier run has learned.
    ///   - didLearn: Called when this run learns one.
    init(
        _ credentials: WebDAVCredentials, at address: WebDAVAddress, pinnedKey: ServerKey? = nil,
        way: Way? = nil, didLearn: @escaping @Sendable (Way) -> Void = { _ in }
    ) {
        self.way = Mutex(way)
        self.didLearn = didLearn
        self.credentials = credentials
        secrets = credentials.secrets
        self.address = address
        self.pinnedKey = pinnedKey
    }

    /// The server rejected last, because its certificate is not trusted or its key is not the
    /// pinned one.
    var untrustedServer: UntrustedServer? { refused.withLock { $0 } }

    /// A pinned key is the only accepted one, even if another certificate is trusted.
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
        let server = UntrustedServer(trust, pinnedKey: pinnedKey, at: Date())
        refused.withLock { $0 = server }
        return (.rejectProtectionSpace, nil)
    }

    /// The field to send preemptively; nil for none.
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

    enum Lesson {
        case nothing
        /// The server wants Digest instead of what the request had: a retry without that will succeed.
        case digestIsWanted
    }

    /// Learns from a rejection.
    func learn(from response: HTTPURLResponse, to request: URLRequest) -> Lesson {
        guard response.statusCode == 401, case .password = credentials,
            request.value(forHTTPHeaderField: "Authorization") != nil,
            let schemes = response.value(forHTTPHeaderField: "WWW-Authenticate")?.lowercased(),
            schemes.contains("digest ")
        else { return .nothing }
        learn(.digest)
        return .digestIsWanted
    }

    /// The response to the session's challenge.
    ///
    /// - Parameter request: The request that the server rejected. One that had the password is not
    ///   sent again with the same.
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
