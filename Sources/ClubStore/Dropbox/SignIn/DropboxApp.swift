public import FoundationEssentials

/// An app registered with Dropbox, and its servers.
public struct DropboxApp: Hashable, Sendable {
    /// Identifies the app; not a secret.
    public let key: String

    /// A gateway in place of all API hosts; nil for Dropbox itself. The authorization page is
    /// always Dropbox's own.
    public let gateway: URL?

    public init(key: String, gateway: URL? = nil) {
        self.key = key
        self.gateway = gateway
    }

    /// The hosts to call.
    public var hosts: DropboxStore.Hosts { gateway.map { .init(all: $0) } ?? .dropbox }

    /// The page on which the user authorizes the app.
    static let authorizationPage: URL = {
        guard let url = URL(string: "https://www.dropbox.com/oauth2/authorize") else {
            preconditionFailure("no URL of Dropbox")
        }
        return url
    }()

    /// Exchanges codes and refresh tokens for access tokens.
    var tokenEndpoint: URL { hosts.api.appending(path: "oauth2/token") }

    /// The permissions that a club needs, and no others.
    public static let scopes = [
        "account_info.read", "files.content.read", "files.content.write", "files.metadata.read",
    ]
}
