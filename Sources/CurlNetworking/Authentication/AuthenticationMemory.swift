/// The proofs a session has found to be good: later requests carry them without being asked.
///
/// Owned by the engine, one a session. The only owner of a remembered nonce and its count, so that
/// tasks side by side never use a count twice.
struct AuthenticationMemory: Sendable {
    private var proofs: [URLProtectionSpace: AuthenticationProof] = [:]
    /// The client certificates that were presented, by where.
    private var identities: [Origin: ClientIdentity] = [:]

    /// Whether no request has to carry a proof.
    var isEmpty: Bool { proofs.isEmpty }

    /// More spaces than this are not remembered.
    static let capacity = 256

    /// The proof that fits a request most closely; among equals the strongest.
    func proof(
        for request: ChallengedRequest, _ party: AuthenticationParty
    ) -> AuthenticationProof? {
        proofs.values.compactMap { proof in
            proof.closeness(to: request, party).map { (proof, $0) }
        }.max { one, other in
            one.1 == other.1
                ? one.0.strength < other.0.strength
                : one.1 < other.1
        }?.0
    }

    mutating func remember(_ proof: AuthenticationProof) {
        var proof = proof
        if let known = proofs[proof.space], known.credential.isSameSecret(as: proof.credential) {
            proof.widen(by: known)
        } else if proofs[proof.space] == nil, proofs.count >= Self.capacity {
            return
        }
        proofs[proof.space] = proof
    }

    /// Answers with the remembered proof of a space, which counts its nonce up.
    mutating func answer(
        in space: URLProtectionSpace, _ request: ChallengedRequest, clientNonce: () -> String
    ) -> (value: String, sent: AuthenticationProof.Sent)? {
        proofs[space]?.answer(request, clientNonce: clientNonce)
    }

    mutating func take(nextNonce: String, for sent: AuthenticationProof.Sent) {
        guard isKnown(sent) else { return }
        proofs[sent.space]?.take(nextNonce: nextNonce)
    }

    /// The credential was refused.
    mutating func forget(_ sent: AuthenticationProof.Sent) {
        if isKnown(sent) { proofs[sent.space] = nil }
    }

    mutating func forgetAll() {
        proofs = [:]
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

    func isKnown(_ sent: AuthenticationProof.Sent) -> Bool {
        proofs[sent.space].map { $0.credential.isSameSecret(as: sent.credential) } ?? false
    }
}
