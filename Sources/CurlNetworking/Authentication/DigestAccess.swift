import FoundationEssentials

/// A server's Digest challenge (RFC 7616 section 3.3).
struct DigestOffer: Hashable, Sendable {
    var realm: String
    var nonce: String
    var opaque: String?
    /// URIs the challenge covers; empty for the whole server.
    var domain: [String]
    var algorithm: DigestAlgorithm
    /// The algorithm's name as received, which has to be sent back; nil if it was missing.
    var algorithmName: String?
    /// Whether the algorithm is a session variant (`-sess`), which hashes the secret with the first nonces.
    var isSession: Bool
    var protection: Protection
    var isStale: Bool
    var hashesUser: Bool
    /// Whether the server supports UTF-8.
    var isUTF8: Bool

    /// What the digest covers.
    enum Protection: String, Sendable {
        /// Method and URI only (RFC 2069).
        case none = ""
        case request = "auth"
        /// Also the body.
        case body = "auth-int"
    }

    /// nil if it cannot be answered.
    init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme == "digest", let nonce = challenge["nonce"],
            let realm = challenge["realm"]
        else { return nil }
        self.nonce = nonce
        self.realm = realm
        opaque = challenge["opaque"]
        domain = challenge["domain"]?.split(separator: " ").map(String.init) ?? []
        algorithmName = challenge["algorithm"]
        var name = (algorithmName ?? "MD5").uppercased()
        isSession = name.hasSuffix("-SESS")
        if isSession { name.removeLast(5) }
        guard let algorithm = DigestAlgorithm.allCases.first(where: { $0.name == name }) else {
            return nil
        }
        self.algorithm = algorithm
        if let offered = challenge["qop"] {
            let kinds = offered.split { $0 == "," || $0 == " " }.map { $0.lowercased() }
            if kinds.contains("auth") {
                protection = .request
            } else if kinds.contains("auth-int") {
                protection = .body
            } else {
                return nil
            }
        } else {
            protection = .none
        }
        isStale = challenge["stale"]?.lowercased() == "true"
        hashesUser = challenge["userhash"]?.lowercased() == "true"
        isUTF8 = challenge["charset"]?.uppercased() == "UTF-8"
    }
}

/// A nonce in use. Each response has the next count.
struct DigestAccess: Sendable {
    private(set) var offer: DigestOffer
    private var count: UInt32 = 0
    /// The first nonces, which `-sess` hashes into the secret.
    private var first: (nonce: String, client: String)?

    init(_ offer: DigestOffer) {
        self.offer = offer
    }

    var nonce: String { offer.nonce }

    /// Replaces the nonce by the server's next one (§3.5).
    mutating func take(nextNonce: String) {
        guard nextNonce != offer.nonce else { return }
        offer.nonce = nextNonce
        count = 0
    }

    struct Answer: Hashable, Sendable {
        /// The value of `Authorization`.
        var authorization: String
        /// The `rspauth` value of a server that knows the password; nil if it cannot be computed in advance.
        var expectedServerDigest: String?
    }

    /// Computes the response for one request.
    ///
    /// - Parameters:
    ///   - target: The request target exactly as it is sent.
    ///   - bodyHash: The hash of the body in hexadecimal, for `auth-int`; nil without a body.
    ///   - clientNonce: A nonce that was never used before.
    ///   - Returns: nil if the installed OpenSSL lacks the algorithm.
    mutating func answer(
        user: String, password: String, method: String, target: String, bodyHash: String?,
        clientNonce: String
    ) -> Answer? {
        let algorithm = offer.algorithm
        guard count < .max,
            var secret = algorithm.hexHash("\(user):\(offer.realm):\(password)"),
            let noBody = algorithm.hexHash("")
        else { return nil }
        let nonces = first ?? (offer.nonce, clientNonce)
        if offer.isSession {
            guard let session = algorithm.hexHash("\(secret):\(nonces.nonce):\(nonces.client)")
            else { return nil }
            secret = session
        }
        let client = offer.isSession ? nonces.client : clientNonce
        let number = Self.hexadecimal(count + 1)
        let middle =
            offer.protection == .none
            ? offer.nonce : "\(offer.nonce):\(number):\(client):\(offer.protection.rawValue)"
        let tail = offer.protection == .body ? ":" + (bodyHash ?? noBody) : ""
        guard let request = algorithm.hexHash("\(method):\(target)\(tail)"),
            let response = algorithm.hexHash("\(secret):\(middle):\(request)"),
            let answer = algorithm.hexHash(":\(target)"),
            let cached = algorithm.hexHash("\(secret):\(middle):\(answer)"),
            let name = userParameter(user)
        else { return nil }
        first = nonces
        count += 1
        var parts = [
            name, "realm=" + offer.realm.quoted, "uri=" + target.quoted,
            "nonce=" + offer.nonce.quoted, "response=\"\(response)\"",
        ]
        if let name = offer.algorithmName { parts.append("algorithm=" + name) }
        if offer.protection != .none {
            parts.append("qop=" + offer.protection.rawValue)
            parts.append("nc=" + number)
        }
        if offer.protection != .none || offer.isSession { parts.append("cnonce=" + client.quoted) }
        if let opaque = offer.opaque { parts.append("opaque=" + opaque.quoted) }
        if offer.hashesUser { parts.append("userhash=true") }
        return Answer(
            authorization: "Digest " + parts.joined(separator: ", "),
            expectedServerDigest: offer.protection == .request ? cached : nil)
    }

    /// The user name; a non-ASCII name is encoded as in RFC 8187 if the server supports UTF-8.
    private func userParameter(_ user: String) -> String? {
        if offer.hashesUser {
            return offer.algorithm.hexHash("\(user):\(offer.realm)").map { "username=\"\($0)\"" }
        }
        guard offer.isUTF8, !user.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "username=" + user.quoted
        }
        let encoded = user.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                return String(UnicodeScalar(byte))
            default:
                return "%" + [byte].hex.uppercased()
            }
        }
        return "username*=UTF-8''" + encoded.joined()
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        withUnsafeBytes(of: number.bigEndian) { $0.hex }
    }

    /// Returns 128 random bits.
    static func makeClientNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hex
    }
}
