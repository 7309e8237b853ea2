public import FoundationEssentials

/// An app registered with Dropbox, and where Dropbox is.
public struct DropboxApp: Hashable, Sendable {
    /// Names the app; no secret.
    public let key: String

    /// A gateway that stands for every host of Dropbox; nil for Dropbox itself.
    public let gateway: URL?

    public init(key: String, gateway: URL? = nil) {
        self.key = key
        self.gateway = gateway
    }

    /// Where the calls go.
    public var hosts: DropboxStore.Hosts { gateway.map { .init(all: $0) } ?? .dropbox }

    /// The page on which a person grants the app access.
    var authorizationPage: URL {
        (gateway ?? Self.site).appending(path: "oauth2/authorize")
    }

    /// Where codes and refresh tokens become access tokens.
    var tokenEndpoint: URL { hosts.api.appending(path: "oauth2/token") }

    private static let site: URL = {
        guard let url = URL(string: "https://www.dropbox.com") else {
            preconditionFailure("no URL of Dropbox")
        }
        return url
    }()

    /// What a club needs to be allowed: all of it, and nothing more.
    public static let scopes = [
        "account_info.read", "files.content.read", "files.content.write", "files.metadata.read",
    ]
}
