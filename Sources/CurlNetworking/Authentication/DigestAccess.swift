import FoundationEssentials

/// What a server that wants HTTP Digest has said (RFC 7616 §3.3).
struct DigestOffer: Hashable, Sendable {
    var realm: String
    var nonce: String
    var opaque: String?
    /// The URIs it is good for; empty for all of the server.
    var domain: [String]
    var algorithm: DigestAlgorithm
    /// The name as it came, to be sent back; nil when the server left it out.
    var algorithmName: String?
    /// Whether the user's secret is hashed with the first nonces (`-sess`).
    var isSession: Bool
    var protection: Protection
    var isStale: Bool
    var hashesUser: Bool
    /// Whether the server says that it reads UTF-8.
    var isUTF8: Bool

    /// What of a message is covered.
    enum Protection: String, Sendable {
        /// Method and URI only, as RFC 2069 had it.
        case none = ""
        case request = "auth"
        /// The body as well.
        case body = "auth-int"
    }

    /// nil for what we cannot answer.
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

/// A nonce in use: answers requests one after another, each with the next count.
struct DigestAccess: Sendable {
    private(set) var offer: DigestOffer
    private var count: UInt32 = 0
    /// The nonces of the first answer, which `-sess` hashes into the secret.
    private var first: (nonce: String, client: String)?

    init(_ offer: DigestOffer) {
        self.offer = offer
    }

    var nonce: String { offer.nonce }

    /// Takes the nonce the server wants next (§3.5).
    mutating func take(nextNonce: String) {
        guard nextNonce != offer.nonce else { return }
        offer.nonce = nextNonce
        count = 0
    }

    struct Answer: Hashable, Sendable {
        /// The value of `Authorization`.
        var authorization: String
        /// What the server has to send as `rspauth` if it knows the password too; nil when that
        /// cannot be known in advance.
        var expectedServerDigest: String?
    }

    /// Answers for one request.
    ///
    /// - Parameters:
    ///   - target: The request target, letter by letter as it is sent.
    ///   - bodyHash: Hash of the body in hexadecimal, for `auth-int`; nil for no body.
    ///   - clientNonce: Never used before.
    /// - Returns: nil when this machine's OpenSSL lacks the algorithm.
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

    /// A name beyond ASCII is encoded as in RFC 8187 where the server reads UTF-8.
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

    /// 128 random bits.
    static func makeClientNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hex
    }
}
