import FoundationEssentials

/// The file format of permanent credentials.
enum CredentialFile {
    static let largestByteCount = 1 << 20

    struct Entry: Codable, Hashable, Sendable {
        var host: String
        var port: Int
        var scheme: String?
        var proxyType: String?
        var realm: String?
        var method: String
        var user: String
        var password: String
        var isDefault: Bool

        /// Returns nil for credentials that are not stored in files.
        init?(_ space: URLProtectionSpace, _ credential: URLCredential, isDefault: Bool) {
            guard [.permanent, .synchronizable].contains(credential.persistence),
                let user = credential.user, let password = credential.password
            else { return nil }
            host = space.host
            port = space.port
            scheme = space.protocol
            proxyType = space.proxyType
            realm = space.realm
            method = space.authenticationMethod
            self.user = user
            self.password = password
            self.isDefault = isDefault
        }

        var space: URLProtectionSpace {
            URLProtectionSpace(
                host: host, port: port, protocol: scheme, proxyType: proxyType, realm: realm,
                method: method)
        }

        var credential: URLCredential {
            URLCredential(user: user, password: password, persistence: .permanent)
        }
    }

    static func render(_ entries: [Entry]) throws -> Data {
        try ChecksummedRecord.seal(JSONEncoder().encode(entries), as: .credentials)
    }

    /// Returns nil if the data is damaged or has another format.
    static func parse(_ data: Data) -> [Entry]? {
        guard let payload = try? ChecksummedRecord.open(data, as: .credentials) else { return nil }
        return try? JSONDecoder().decode([Entry].self, from: payload)
    }
}
