import FoundationEssentials

/// A permanent credential of the program's storage, sent to the helper with each task. Client certificates
/// are given by the paths of their files, with their passphrases.
///
/// Credentials with `.forSession` persistence stay in the program, which answers challenges while it runs.
struct BackgroundCredential: Codable, Hashable, Sendable {
    private var host: String
    private var port: Int
    private var scheme: String?
    private var proxyType: String?
    private var realm: String?
    private var method: String
    private var credential: BackgroundChallengeAnswer.Credential
    private var isDefault: Bool

    // Earlier helpers and programs read and write the old key.
    private enum CodingKeys: String, CodingKey {
        case host, port, scheme, proxyType, realm, method, isDefault
        case credential = "proof"
    }

    /// nil for what is not permanent.
    private init?(_ space: URLProtectionSpace, _ credential: URLCredential, isDefault: Bool) {
        guard [.permanent, .synchronizable].contains(credential.persistence),
            let stored = BackgroundChallengeAnswer.Credential(credential)
        else { return nil }
        host = space.host
        port = space.port
        scheme = space.protocol
        proxyType = space.proxyType
        realm = space.realm
        method = space.authenticationMethod
        self.credential = stored
        self.isDefault = isDefault
    }

    /// The credentials of some protection spaces, sorted, so that equal settings share a session of the helper.
    static func all(
        in storage: URLCredentialStorage, where isWanted: (URLProtectionSpace) -> Bool
    ) -> [BackgroundCredential] {
        storage.allCredentials.filter { isWanted($0.key) }.flatMap { space, credentials in
            let standard = storage.defaultCredential(for: space)
            return credentials.values.compactMap {
                BackgroundCredential(space, $0, isDefault: $0 == standard)
            }
        }.sorted { one, other in
            (one.host, one.port, one.realm ?? "", one.method, one.credential.user)
                < (other.host, other.port, other.realm ?? "", other.method, other.credential.user)
        }
    }

    func enter(_ storage: URLCredentialStorage) {
        guard let credential = credential.makeCredential(trusting: nil) else { return }
        let space = URLProtectionSpace(
            host: host, port: port, protocol: scheme, proxyType: proxyType, realm: realm,
            method: method)
        if isDefault {
            storage.setDefaultCredential(credential, for: space)
        } else {
            storage.set(credential, for: space)
        }
    }
}
