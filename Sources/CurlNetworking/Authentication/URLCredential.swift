public import FoundationEssentials

/// A credential for a challenge: a user name and password, a client certificate, or trust in a server.
///
/// Its description never contains the password.
public final class URLCredential: NetworkingObject, CustomReflectable, @unchecked Sendable {
    // Unchecked only for its superclass, which has no state.

    /// How long a credential is stored. The raw values are Apple's.
    public enum Persistence: UInt, Sendable {
        /// For one task only.
        case none = 0
        /// Until the process ends.
        case forSession = 1
        /// In the storage's file, if it has one; otherwise until the process ends.
        case permanent = 2
        /// Like `.permanent`: credentials are not synchronized here.
        case synchronizable = 3
    }

    private enum Kind: Hashable {
        case password(user: String, password: String)
        case identity(ClientIdentity)
        case trust(ServerTrust)
    }

    /// How long it is stored.
    public let persistence: Persistence
    private let kind: Kind
    /// The intermediate certificates that were passed with a client certificate. They are not used: the
    /// server receives those in the identity's file.
    public let certificates: [ServerCertificate]

    /// Creates a credential with a user name and password, for Basic and Digest.
    public init(user: String, password: String, persistence: Persistence) {
        self.kind = .password(user: user, password: password)
        self.certificates = []
        self.persistence = persistence
    }

    /// Creates a credential with a client certificate. Apple's API uses a `SecIdentity`.
    public init(
        identity: ClientIdentity, certificates: [ServerCertificate]? = nil,
        persistence: Persistence
    ) {
        self.kind = .identity(identity)
        self.certificates = certificates ?? []
        self.persistence = persistence
    }

    /// Creates a credential that accepts a server with its certificates, regardless of the system's
    /// evaluation. Valid for the connection that it was requested for.
    public init(trust: ServerTrust) {
        self.kind = .trust(trust)
        self.certificates = []
        self.persistence = .none
    }

    /// The user name; nil for other kinds of credential.
    public var user: String? {
        if case .password(let user, _) = kind { user } else { nil }
    }

    /// The password; nil for other kinds of credential.
    public var password: String? {
        if case .password(_, let password) = kind { password } else { nil }
    }

    /// Whether there is a password.
    public var hasPassword: Bool { password != nil }

    /// The client certificate; nil for other kinds of credential.
    public var identity: ClientIdentity? {
        if case .identity(let identity) = kind { identity } else { nil }
    }

    /// The trusted server; nil for other kinds of credential.
    public var trust: ServerTrust? {
        if case .trust(let trust) = kind { trust } else { nil }
    }

    /// Returns whether two credentials have the same contents and persistence.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? URLCredential else { return false }
        return kind == other.kind && persistence == other.persistence
    }

    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(kind)
        hasher.combine(persistence)
        return hasher.finalize()
    }

    /// Whether both have the same contents, regardless of their persistence.
    func isSameSecret(as other: URLCredential) -> Bool { kind == other.kind }

    public override var description: String {
        switch kind {
        case .password(let user, _): "URLCredential for \(user)"
        case .identity: "URLCredential with a client certificate"
        case .trust(let trust): "URLCredential trusting \(trust.host)"
        }
    }

    /// An empty mirror: a mirror would show the password.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// A client certificate and its key, in files that libcurl reads.
public struct ClientIdentity: Hashable, Sendable {
    /// The file format of certificate and key.
    public enum Format: Hashable, Sendable {
        /// PEM: the certificate, followed by its issuers', with the key in the same file or another.
        case pem(certificate: URL, key: URL?)
        /// PKCS #12: certificate and key in one file.
        case pkcs12(URL)
    }

    /// The files and their format.
    public var format: Format
    /// The passphrase of the key, if it has one.
    public var passphrase: String?

    /// Creates an identity. The files are read when a server requests a certificate.
    public init(_ format: Format, passphrase: String? = nil) {
        self.format = format
        self.passphrase = passphrase
    }
}

extension ClientIdentity: CustomReflectable {
    /// A mirror without the passphrase.
    public var customMirror: Mirror { Mirror(self, children: ["format": format]) }
}
