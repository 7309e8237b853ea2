/// What a server or proxy says about the credential it was shown: `Authentication-Info` (RFC 7616 §3.5).
struct AuthenticationInfo: Sendable {
    /// The nonce to use from now on.
    let nextNonce: String?
    /// Shows that the server knows the password, too.
    private let serverDigest: String?

    /// Nil when it says nothing.
    init?(in head: ResponseHead, from party: AuthenticationParty) {
        guard let field = head.headers[party.infoField] else { return nil }
        let parameters = HTTPChallenge.parseParameters(field)
        let value = { (name: String) in parameters.first { $0.name == name }?.value }
        serverDigest = value("rspauth")
        nextNonce = value("nextnonce").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the server does not show that it does not know the password.
    func isGenuine(for sent: CachedCredential.Sent) -> Bool {
        guard let serverDigest, let expected = sent.expectedServerDigest else { return true }
        return serverDigest.lowercased() == expected
    }
}
