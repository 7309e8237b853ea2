public import FoundationEssentials

/// What answers a challenge: a name and a password, a client certificate, or trust in a server.
///
/// Never printed with its password.
public final class URLCredential: NetworkingObject, CustomReflectable, @unchecked Sendable {
    // Unchecked for its superclass alone, which has no state.

    /// How long a credential is kept. The numbers are Apple's.
    public enum Persistence: UInt, Sendable {
        /// For this one task.
        case none = 0
        /// Until the process ends.
        case forSession = 1
        /// In the storage's file, if it has one; else until the process ends.
        case permanent = 2
        /// Like `.permanent`: nothing here is carried to other machines.
        case synchronizable = 3
    }

    private enum Kind: Hashable {
        case password(user: String, password: String)
        case identity(ClientIdentity)
        case trust(ServerTrust)
    }

    /// How long it is kept.
    public let persistence: Persistence
    private let kind: Kind
    /// What was given beside a client certificate: those between it and its authority. Kept for the reader;
    /// the server is shown those in the identity's file.
    public let certificates: [ServerCertificate]

    /// A name and a password, for Basic and Digest.
    public init(user: String, password: String, persistence: Persistence) {
        self.kind = .password(user: user, password: password)
        self.certificates = []
        self.persistence = persistence
    }

    /// A client certificate. Apple's suite has a `SecIdentity` here.
    public init(
        identity: ClientIdentity, certificates: [ServerCertificate]? = nil,
        persistence: Persistence
    ) {
        self.kind = .identity(identity)
        self.certificates = certificates ?? []
        self.persistence = persistence
    }

    /// Accepts the server as it has shown itself, whatever the system thinks of its certificate. Good
    /// for the connection it was asked for.
    public init(trust: ServerTrust) {
        self.kind = .trust(trust)
        self.certificates = []
        self.persistence = .none
    }

    /// The name; nil for other kinds of credential.
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

    /// The server that is trusted.
    public var trust: ServerTrust? {
        if case .trust(let trust) = kind { trust } else { nil }
    }

    /// Equal are credentials for the same, kept as long.
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

    /// Whether both open the same doors, however long they are kept.
    func isSameSecret(as other: URLCredential) -> Bool { kind == other.kind }

    public override var description: String {
        switch kind {
        case .password(let user, _): "URLCredential for \(user)"
        case .identity: "URLCredential with a client certificate"
        case .trust(let trust): "URLCredential trusting \(trust.host)"
        }
    }

    /// Nothing: a mirror would show the password.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// A client certificate and its key, in files that libcurl reads.
public struct ClientIdentity: Hashable, Sendable {
    /// How certificate and key are stored.
    public enum Format: Hashable, Sendable {
        /// The certificate, followed by its issuers', and the key in the same file or
        /// another.
        case pem(certificate: URL, key: URL?)
        /// All in one.
        case pkcs12(URL)
    }

    /// Where certificate and key are, and how they are stored.
    public var format: Format
    /// Opens the key, if it is locked.
    public var passphrase: String?

    /// Names a certificate and its key; they are read when a server asks for them.
    public init(_ format: Format, passphrase: String? = nil) {
        self.format = format
        self.passphrase = passphrase
    }
}

extension ClientIdentity: CustomReflectable {
    /// Leaves the passphrase out of what is printed.
    public var customMirror: Mirror { Mirror(self, children: ["format": format]) }
}
