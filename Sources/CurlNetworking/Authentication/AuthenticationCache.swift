/// The credentials that servers have accepted: later requests of the session use them without being
/// challenged.
///
/// Owned by the engine, one per session. Only this type holds cached nonces and their counts, so that
/// concurrent tasks never use a count twice.
struct AuthenticationCache: Sendable {
    private var credentials: [URLProtectionSpace: CachedCredential] = [:]
    /// The client certificates that were presented, by origin.
    private var identities: [Origin: ClientIdentity] = [:]

    /// Whether there are no cached credentials.
    var isEmpty: Bool { credentials.isEmpty }

    /// The maximum number of protection spaces.
    static let capacity = 256

    /// Returns the credential that matches a request best; of equal matches, the strongest.
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

    /// Returns the authorization of a cached credential, and increments its nonce count.
    mutating func answer(
        in space: URLProtectionSpace, _ request: ChallengedRequest, clientNonce: () -> String
    ) -> (value: String, sent: CachedCredential.Sent)? {
        credentials[space]?.answer(request, clientNonce: clientNonce)
    }

    mutating func take(nextNonce: String, for sent: CachedCredential.Sent) {
        guard isKnown(sent) else { return }
        credentials[sent.space]?.take(nextNonce: nextNonce)
    }

    /// Removes a credential that was rejected.
    mutating func forget(_ sent: CachedCredential.Sent) {
        if isKnown(sent) { credentials[sent.space] = nil }
    }

    mutating func forgetAll() {
        credentials = [:]
        identities = [:]
    }

    // MARK: - Client certificates

    /// Returns the client certificate for a server. Presenting it from the start allows reuse of connections
    /// that were made with it.
    func identity(for origin: Origin) -> ClientIdentity? { identities[origin] }

    /// Stores the client certificate for a server.
    ///
    /// - Parameter identity: nil removes a certificate that was rejected.
    mutating func remember(_ identity: ClientIdentity?, for origin: Origin) {
        guard identity == nil || identities.count < Self.capacity else { return }
        identities[origin] = identity
    }

    func isKnown(_ sent: CachedCredential.Sent) -> Bool {
        credentials[sent.space].map { $0.credential.isSameSecret(as: sent.credential) } ?? false
    }
}
