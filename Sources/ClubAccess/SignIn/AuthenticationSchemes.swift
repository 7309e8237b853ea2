internal import CurlNetworking

/// The authentication schemes that a server offers (RFC 9110, section 11.6.1).
enum AuthenticationSchemes {
    /// The schemes of a `WWW-Authenticate` field as they were sent, each once, without their parameters.
    static func read(_ field: String) -> [String] {
        var schemes: [String] = []
        // They are shown: a field of any length is not.
        for challenge in HTTPChallenge.parse(String(field.prefix(4096))) {
            let isKnown = schemes.contains { $0.lowercased() == challenge.scheme }
            if !isKnown { schemes.append(challenge.schemeName) }
        }
        return schemes
    }

    /// Whether a bearer token (RFC 6750) is one of them.
    static func takeTokens(_ schemes: [String]) -> Bool {
        schemes.contains { $0.lowercased() == "bearer" }
    }

    static func takePasswords(_ schemes: [String]) -> Bool {
        schemes.contains { ["basic", "digest"].contains($0.lowercased()) }
    }
}
