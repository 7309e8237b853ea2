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
    /// Whether the server has accepted that credential. Until then a stored response is used only if the server
    /// confirms it, so that it verifies the credential and the session remembers it.
    var isAccepted = true
}

/// Which stored responses of a URL match a request.
struct CacheQuery: Sendable {
    private let request: HTTPHeaderFields
    /// Who asks; nil for the program, which inspects its own cache.
    let requester: CacheRequester?
    /// The account that variants are compared with; made once, because it is a digest.
    private let account: String

    init(request: HTTPHeaderFields, requester: CacheRequester? = nil) {
        self.request = request
        self.requester = requester
        account = StoredHead.Variant.value(
            of: StoredHead.Variant.accountField, in: request, account: requester?.account)
    }

    func matches(_ head: StoredHead) -> Bool {
        let name = StoredHead.Variant.accountField
        guard requester != nil else {
            let variant = account.isEmpty ? head.variant.withoutAccount : head.variant
            return variant.matches(request, account: account)
        }
        guard head.variant.matches(request, account: account) else { return false }
        // Entries of earlier versions do not say who asked. They are only for requests without credentials.
        return head.variant.names(name) || head.isPublic || account.isEmpty
    }
}
