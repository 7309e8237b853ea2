import FoundationEssentials

/// How to sign in at a WebDAV server.
public enum WebDAVCredentials: Hashable, Sendable {
    /// Not at all.
    case none

    /// A name and a password; at Nextcloud an app password. Sent as Basic at once where nobody can
    /// listen (https, or this machine), otherwise only in answer to Digest.
    case password(user: String, password: String)

    /// A token, sent where nobody can listen.
    case bearer(token: String)

    /// The name, where there is one.
    public var user: String? {
        if case .password(let user, _) = self { user } else { nil }
    }
}

extension WebDAVCredentials: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Never with the secret in it: what is printed ends in logs.
    public var description: String {
        switch self {
        case .none: "none"
        case .password(let user, _): "password of \(user)"
        case .bearer: "bearer token"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension WebDAVCredentials {
    /// The value of the field that shows them.
    var authorization: String? {
        switch self {
        case .none: nil
        case .password(let user, let password):
            "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        case .bearer(let token): "Bearer \(token)"
        }
    }
}
