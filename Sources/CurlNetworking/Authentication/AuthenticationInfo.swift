/// A server's or proxy's information about an accepted credential: `Authentication-Info` (RFC 7616 §3.5).
struct AuthenticationInfo: Sendable {
    /// The next nonce.
    let nextNonce: String?
    /// Proves that the server knows the password.
    private let serverDigest: String?

    /// Returns nil if there is no information.
    init?(in head: ResponseHead, from party: AuthenticationParty) {
        guard let field = head.headers[party.infoField] else { return nil }
        let parameters = HTTPChallenge.parseParameters(field)
        let value = { (name: String) in parameters.first { $0.name == name }?.value }
        serverDigest = value("rspauth")
        nextNonce = value("nextnonce").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the server's digest matches, or cannot be checked.
    func isGenuine(for sent: CachedCredential.Sent) -> Bool {
        guard let serverDigest, let expected = sent.expectedServerDigest else { return true }
        return serverDigest.lowercased() == expected
    }
}
