import FoundationEssentials

/// The account that a response is for, as variants are told apart by it: a digest, so that no secret is
/// stored in readable form.
enum CacheAccount {
    /// Returns the account of a request's own `Authorization`; empty for an empty value.
    static func authorization(_ value: String) -> String {
        value.isEmpty ? "" : digest(of: ["Authorization", value])
    }

    /// Returns the account of a credential in a protection space, the same for Basic and Digest.
    static func credential(_ credential: URLCredential, in space: URLProtectionSpace) -> String {
        digest(of: [
            "credential", space.`protocol` ?? "", space.host.lowercased(), String(space.port),
            space.realm ?? "", credential.user ?? "", credential.password ?? "",
        ])
    }

    /// The lengths are included, so that no two lists have the same bytes.
    private static func digest(of parts: [String]) -> String {
        var writer = CacheFileWriter()
        for part in parts { writer.write(part) }
        // Without a hash, it is equal to no other account.
        return DigestAlgorithm.sha256.hash(writer.bytes)?.hex ?? UUID().uuidString
    }
}

/// Who asks for a response, before the request is sent.
struct CacheRequester: Hashable, Sendable {
    /// The account whose credential the engine adds; nil if the request's own `Authorization` counts.
    var account: String?
    /// Whether the server has accepted that credential. Until then no stored response is used, so that the
    /// server verifies it and the session remembers it.
    var isAccepted = true
}

/// Which stored responses of a URL match a request.
struct CacheQuery: Sendable {
    var request: HTTPHeaderFields
    /// Who asks; nil for the program, which inspects its own cache.
    var requester: CacheRequester?

    func matches(_ head: StoredHead) -> Bool {
        let name = StoredHead.Variant.accountField
        guard let requester else {
            let hasAuthorization = request[name].map { !$0.isEmpty } ?? false
            let variant = hasAuthorization ? head.variant : head.variant.withoutAccount
            return variant.matches(request)
        }
        guard head.variant.matches(request, account: requester.account) else { return false }
        // Entries of earlier versions do not say who asked. They are only for requests without credentials.
        return head.variant.names(name) || head.isPublic
            || StoredHead.Variant.value(of: name, in: request, account: requester.account).isEmpty
    }
}
