import FoundationEssentials

/// A credential with the state that is needed to use it in one protection space.
struct CachedCredential: Sendable {
    let space: URLProtectionSpace
    let credential: URLCredential
    private(set) var kind: Kind

    enum Kind: Sendable {
        /// With the folders that it is assumed to be valid for.
        case basic(scopes: [String])
        case digest(DigestAccess)
    }

    /// Returns nil if the credential does not match the offer.
    init?(_ offer: AuthenticationOffer, _ credential: URLCredential, for request: ChallengedRequest)
    {
        guard let user = credential.user, let password = credential.password else { return nil }
        switch offer.scheme {
        case .basic:
            guard BasicAccess.authorization(user: user, password: password) != nil else {
                return nil
            }
            kind = .basic(
                scopes: offer.space.isProxy() ? ["/"] : [BasicAccess.scope(of: request.path)])
        case .digest(let digest):
            kind = .digest(DigestAccess(digest))
        }
        space = offer.space
        self.credential = credential
    }

    /// What was sent, to interpret the response.
    struct Sent: Sendable {
        var space: URLProtectionSpace
        var credential: URLCredential
        var nonce: String?
        var expectedServerDigest: String?
        /// Whether it was sent without a challenge to this request.
        var isPreemptive = false
    }

    /// Whether the request goes to the credential's protection space.
    func isInSpace(of request: ChallengedRequest, _ party: AuthenticationParty) -> Bool {
        request.space(of: party, realm: space.realm, method: space.authenticationMethod) == space
    }

    /// How well it matches the request: the length of the folder it is known to be valid for; nil if it does
    /// not match.
    func closeness(to request: ChallengedRequest, _ party: AuthenticationParty) -> Int? {
        guard isInSpace(of: request, party) else { return nil }
        if party == .proxy { return 0 }
        let scopes: [String]
        switch kind {
        case .basic(let known): scopes = known
        case .digest(let access): scopes = access.offer.scopes(at: request.url)
        }
        return scopes.filter { request.path.hasPrefix($0) }.map(\.utf8.count).max()
    }

    /// Larger is stronger.
    var strength: Int {
        switch kind {
        case .basic: AuthenticationOffer.Scheme.basic.strength
        case .digest(let access): AuthenticationOffer.Scheme.digest(access.offer).strength
        }
    }

    var bodyHash: DigestAlgorithm? {
        guard case .digest(let access) = kind, access.offer.protection == .body else { return nil }
        return access.offer.algorithm
    }

    /// Returns the value of `Authorization` for a request.
    mutating func answer(
        _ request: ChallengedRequest, clientNonce: () -> String
    ) -> (value: String, sent: Sent)? {
        guard let user = credential.user, let password = credential.password else { return nil }
        var sent = Sent(space: space, credential: credential)
        switch kind {
        case .basic:
            return BasicAccess.authorization(user: user, password: password).map { ($0, sent) }
        case .digest(var access):
            let answer = access.answer(
                user: user, password: password, method: request.method,
                target: space.isProxy() ? request.proxyTarget ?? request.target : request.target,
                bodyHash: request.bodyHash, clientNonce: clientNonce())
            kind = .digest(access)
            guard let answer else { return nil }
            sent.nonce = access.nonce
            sent.expectedServerDigest = answer.expectedServerDigest
            return (answer.authorization, sent)
        }
    }

    /// Stores the nonce that a server wants for the next request.
    mutating func take(nextNonce: String) {
        guard case .digest(var access) = kind else { return }
        access.take(nextNonce: nextNonce)
        kind = .digest(access)
    }

    /// Adds the folders that the same credential is known to be valid for.
    mutating func widen(by other: CachedCredential) {
        guard case .basic(let mine) = kind, case .basic(let known) = other.kind else { return }
        let more = known.filter { !mine.contains($0) }
        kind = .basic(scopes: mine + more.suffix(Self.mostScopes - mine.count))
    }

    private static let mostScopes = 32
}

extension DigestOffer {
    /// The paths in `domain` that are on the server of `url`. Other servers are ignored, because a server
    /// cannot speak for another.
    func scopes(at url: URL) -> [String] {
        guard !domain.isEmpty, let origin = Origin(of: url) else { return ["/"] }
        return domain.prefix(64).compactMap { text -> String? in
            guard let resolved = LenientAddress.url(text, relativeTo: url)?.absoluteURL,
                Origin(of: resolved) == origin
            else { return nil }
            let path = resolved.path(percentEncoded: true)
            return path.isEmpty ? "/" : path
        }
    }
}
