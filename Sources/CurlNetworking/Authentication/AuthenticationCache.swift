/// The credentials a session has found to be good: later requests carry them without being asked.
///
/// Owned by the engine, one a session. The only owner of a remembered nonce and its count, so that
/// tasks side by side never use a count twice.
struct AuthenticationCache: Sendable {
    private var credentials: [URLProtectionSpace: CachedCredential] = [:]
    /// The client certificates that were presented, by where.
    private var identities: [Origin: ClientIdentity] = [:]

    /// Whether no request has to carry a credential.
    var isEmpty: Bool { credentials.isEmpty }

    /// More spaces than this are not remembered.
    static let capacity = 256

    /// The credential that fits a request most closely; among equals the strongest.
    func credential(
        for request: ChallengedRequest, _ party: AuthenticationParty
    ) -> CachedCredential? {
        let fitting: [(cached: CachedCredential, closeness: Int)] = credentials.values.compactMap {
            cached in
            cached.closeness(to: request, party).map { (cached, $0) }
        }
        return fitting.max { one, other in
            (one.closeness, one.cached.strength) < (other.closeness, other.cached.strength)
        }?.cached
    }

    mutating func remember(_ cached: CachedCredential) {
        var cached = cached
        if let known = credentials[cached.space],
            known.credential.isSameSecret(as: cached.credential)
        {
            cached.widen(by: known)
        } else if credentials[cached.space] == nil, credentials.count >= Self.capacity {
            return
        }
        credentials[cached.space] = cached
    }

    /// Answers with the remembered credential of a space, which counts its nonce up.
    mutating func answer(
        in space: URLProtectionSpace, _ request: ChallengedRequest, clientNonce: () -> String
    ) -> (value: String, sent: CachedCredential.Sent)? {
        credentials[space]?.answer(request, clientNonce: clientNonce)
    }

    mutating func take(nextNonce: String, for sent: CachedCredential.Sent) {
        guard isKnown(sent) else { return }
        credentials[sent.space]?.take(nextNonce: nextNonce)
    }

    /// The credential was refused.
    mutating func forget(_ sent: CachedCredential.Sent) {
        if isKnown(sent) { credentials[sent.space] = nil }
    }

    mutating func forgetAll() {
        credentials = [:]
        identities = [:]
    }

    // MARK: - Client certificates

    /// The certificate for a server. With it from the start, a connection that was made with it is
    /// used again.
    func identity(for origin: Origin) -> ClientIdentity? { identities[origin] }

    /// - Parameter identity: nil forgets the one that was there: it was refused.
    mutating func remember(_ identity: ClientIdentity?, for origin: Origin) {
        guard identity == nil || identities.count < Self.capacity else { return }
        identities[origin] = identity
    }

    func isKnown(_ sent: CachedCredential.Sent) -> Bool {
        credentials[sent.space].map { $0.credential.isSameSecret(as: sent.credential) } ?? false
    }
}
