internal import ClubLibrary
package import ClubStore
internal import FoundationEssentials

extension ClubSettings.Place {
    /// Whether it is the same folder of the same account, whatever the trust settings: the pinned key
    /// and the certificate file may change, and the club stays the same.
    func isSame(as other: Self) -> Bool { identityParts == other.identityParts }

    /// What identifies a club regardless of its name: the server, the account as far as the settings
    /// know it, and the folder.
    var identityParts: [[String]] {
        switch self {
        case .embedded: [["embedded"]]
        case .dropbox(let dropbox):
            [
                ["dropbox", dropbox.appKey], Self.plain(dropbox.apiURL),
                [Self.plain(folder: dropbox.folder)],
            ]
        case .webdav(let webdav):
            [["webdav"], webdav.signIn.user.map { [$0] } ?? [], Self.plain(webdav.url)]
        }
    }

    /// A URL in comparable form: the server, and the path's names. A trailing slash and the spelling of
    /// its characters do not matter (RFC 3986, section 6.2.2).
    private static func plain(_ url: URL?) -> [String] {
        guard let url else { return [] }
        return [url.origin] + url.path(percentEncoded: false).split(separator: "/").map(String.init)
    }

    /// A Dropbox folder in comparable form: its case does not matter there.
    private static func plain(folder: String?) -> String {
        let path = folder.flatMap { try? ClubSettings.root(of: $0) } ?? .root
        return path.string.lowercased()
    }
}

extension URL {
    /// Scheme, host and port, normalized.
    var origin: String {
        let scheme = scheme?.lowercased() ?? ""
        let port = port ?? (scheme == "http" ? 80 : 443)
        return "\(scheme)://\(host()?.lowercased() ?? ""):\(port)"
    }
}

extension ClubSettings {
    /// Whether it is the same club under the same name; see ``Place/isSame(as:)``.
    package func isSameClub(as other: ClubSettings) -> Bool {
        name == other.name && place.isSame(as: other.place)
    }

    /// Whether signing in again can fix an error: with another password, or by accepting the server's
    /// new key.
    package func isFixedBySignIn(_ error: StoreError) -> Bool {
        switch (error.code, place) {
        case (.unauthorized, .dropbox), (.unauthorized, .webdav), (.untrusted, .webdav): true
        default: false
        }
    }

    /// Whether a change may wait in the outbox after an error: it concerns the connection, not the change, and
    /// neither the user nor a sign-in can fix it.
    package func mayWait(after error: StoreError) -> Bool {
        error.isConnectionFailure && error.code != .cancelled && error.code != .locked
            && error.code != .unauthorized && !isFixedBySignIn(error)
    }
}
