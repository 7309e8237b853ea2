import FoundationEssentials

/// A challenge as the helper sends it to a connected program.
struct BackgroundChallenge: Codable, Hashable, Sendable {
    var host: String
    var port: Int
    var `protocol`: String?
    var proxyType: String?
    var realm: String?
    var method: String
    /// The names of authorities in DER. An older helper sends them as text, under another key: they are
    /// then not known.
    var authorities: [Data]?
    /// The server's certificates as DER, and OpenSSL's verification result.
    var chain: [Data]?
    var verificationResult: Int?
    var trustedHost: String?
    var failureCount: Int
    /// The 401 or 407.
    var answer: BackgroundTaskRecord.Answer?

    private enum CodingKeys: String, CodingKey {
        case host, port, `protocol`, proxyType, realm, method, authorities, chain
        // Earlier helpers and programs read and write the old key.
        case verificationResult = "verdict"
        case trustedHost, failureCount, answer
    }

    init(_ challenge: URLAuthenticationChallenge) {
        let space = challenge.protectionSpace
        host = space.host
        port = space.port
        `protocol` = space.protocol
        proxyType = space.proxyType
        realm = space.realm
        method = space.authenticationMethod
        authorities = space.distinguishedNames
        if let trust = space.serverTrust {
            chain = trust.certificates.map(\.derEncoded)
            verificationResult = trust.verificationResult
            trustedHost = trust.host
        }
        failureCount = challenge.previousFailureCount
        answer = (challenge.failureResponse as? HTTPURLResponse).flatMap(
            BackgroundTaskRecord.Answer.init)
    }

    var space: URLProtectionSpace {
        URLProtectionSpace(
            host: host, port: port, protocol: `protocol`, proxyType: proxyType, realm: realm,
            method: method,
            serverTrust: chain.map {
                ServerTrust(
                    host: trustedHost ?? host, chain: $0,
                    verificationResult: verificationResult ?? -1)
            },
            distinguishedNames: authorities)
    }

    /// - Parameter storage: The program's: the helper has only its permanent credentials.
    func makeChallenge(_ storage: URLCredentialStorage?) -> URLAuthenticationChallenge {
        let space = space
        return URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: failureCount == 0 ? storage?.defaultCredential(for: space) : nil,
            previousFailureCount: failureCount, failureResponse: answer?.response, error: nil)
    }

    /// Which delegate method is asked first.
    var audience: AuthenticationAction.Audience {
        method == NSURLAuthenticationMethodServerTrust
            || method == NSURLAuthenticationMethodClientCertificate ? .session : .task
    }
}

/// The program's answer to a challenge.
struct BackgroundChallengeAnswer: Codable, Hashable, Sendable {
    var disposition: Int
    var credential: Credential?

    enum Credential: Codable, Hashable, Sendable {
        case password(user: String, password: String, persistence: UInt)
        /// Trust in the certificates that the server has sent to the helper.
        case trust
        case pem(certificate: String, key: String?, passphrase: String?)
        case pkcs12(file: String, passphrase: String?)
    }

    init(_ answer: ChallengeAnswer) {
        disposition = answer.disposition.rawValue
        credential = answer.credential.flatMap(Credential.init)
    }

    /// - Parameter trust: The server's certificates.
    func answer(
        _ trust: ServerTrust?
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard let disposition = URLSession.AuthChallengeDisposition(rawValue: disposition) else {
            return (.performDefaultHandling, nil)
        }
        return (disposition, credential?.makeCredential(trusting: trust))
    }
}

extension BackgroundChallengeAnswer.Credential {
    init?(_ credential: URLCredential) {
        if let user = credential.user, let password = credential.password {
            self = .password(
                user: user, password: password, persistence: credential.persistence.rawValue)
        } else if credential.trust != nil {
            self = .trust
        } else if let identity = credential.identity {
            switch identity.format {
            case .pem(let certificate, let key):
                self = .pem(
                    certificate: certificate.absolutePath, key: key?.absolutePath,
                    passphrase: identity.passphrase)
            case .pkcs12(let file):
                self = .pkcs12(file: file.absolutePath, passphrase: identity.passphrase)
            }
        } else {
            return nil
        }
    }

    var user: String {
        if case .password(let user, _, _) = self { user } else { "" }
    }

    func makeCredential(trusting trust: ServerTrust?) -> URLCredential? {
        func file(_ path: String) -> URL { URL(filePath: path, directoryHint: .notDirectory) }
        switch self {
        case .password(let user, let password, let persistence):
            return URLCredential(
                user: user, password: password,
                persistence: URLCredential.Persistence(rawValue: persistence) ?? .none)
        case .trust:
            return trust.map { URLCredential(trust: $0) }
        case .pem(let certificate, let key, let passphrase):
            let format = ClientIdentity.Format.pem(
                certificate: file(certificate), key: key.map(file))
            return URLCredential(
                identity: ClientIdentity(format, passphrase: passphrase), persistence: .forSession)
        case .pkcs12(let path, let passphrase):
            return URLCredential(
                identity: ClientIdentity(.pkcs12(file(path)), passphrase: passphrase),
                persistence: .forSession)
        }
    }
}
