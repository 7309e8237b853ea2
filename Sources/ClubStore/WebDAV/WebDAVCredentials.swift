import FoundationEssentials

/// How to sign in at a WebDAV server.
public enum WebDAVCredentials: Hashable, Sendable {
    /// No authentication.
    case none

    /// A name and a password; for Nextcloud an app password. Sent preemptively as Basic where no one can
    /// intercept it (https, or this machine), otherwise only in response to Digest.
    case password(user: String, password: String)

    /// A token, sent only where no one can intercept it.
    case bearer(token: String)

    /// The user name, if there is one.
    public var user: String? {
        if case .password(let user, _) = self { user } else { nil }
    }
}

extension WebDAVCredentials: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Without the secret: what is printed ends up in logs.
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
    /// The value of the `Authorization` field.
    var authorization: String? {
        switch self {
        case .none: nil
        case .password(let user, let password):
            "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        case .bearer(let token): "Bearer \(token)"
        }
    }
}
