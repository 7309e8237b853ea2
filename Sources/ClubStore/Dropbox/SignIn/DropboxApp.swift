public import FoundationEssentials

/// An app registered with Dropbox, and where Dropbox is.
public struct DropboxApp: Hashable, Sendable {
    /// Names the app; no secret.
    public let key: String

    /// A gateway in place of all hosts that are called; nil for Dropbox itself. The page that a person
    /// opens is Dropbox's own in any case.
    public let gateway: URL?

    public init(key: String, gateway: URL? = nil) {
        self.key = key
        self.gateway = gateway
    }

    /// Where the calls go.
    public var hosts: DropboxStore.Hosts { gateway.map { .init(all: $0) } ?? .dropbox }

    /// The page on which a person grants the app access.
    static let authorizationPage: URL = {
        guard let url = URL(string: "https://www.dropbox.com/oauth2/authorize") else {
            preconditionFailure("no URL of Dropbox")
        }
        return url
    }()

    /// Where codes and refresh tokens become access tokens.
    var tokenEndpoint: URL { hosts.api.appending(path: "oauth2/token") }

    /// What a club needs to be allowed: all of it, and nothing more.
    public static let scopes = [
        "account_info.read", "files.content.read", "files.content.write", "files.metadata.read",
    ]
}
