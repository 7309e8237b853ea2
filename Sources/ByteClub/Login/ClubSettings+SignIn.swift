internal import ClubStore
internal import FoundationEssentials

extension ClubSettings.Place {
    /// Whether it is the same folder of the same account, whatever is believed of the server: a key and
    /// a file of certificates may change, and the club stays the club.
    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.embedded, .embedded): true
        case (.dropbox(let own), .dropbox(let other)): own == other
        case (.webdav(let own), .webdav(let other)):
            own.signIn == other.signIn && Self.plain(own.url) == Self.plain(other.url)
        default: false
        }
    }

    /// An address as it is compared: with and without a slash at its end it is the same folder.
    private static func plain(_ url: URL) -> String {
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        guard let host = url.host(), let range = text.firstRange(of: host) else { return text }
        // Scheme and host are the same in any case (RFC 3986, section 6.2.2.1).
        return text[..<range.upperBound].lowercased() + text[range.upperBound...]
    }
}

extension ClubSettings {
    /// Whether it is the same club under the same name; see ``Place/isSame(as:)``.
    func isSameClub(as other: ClubSettings) -> Bool {
        name == other.name && place.isSame(as: other.place)
    }

    /// Whether a person can do something about an error by signing in again: with another password, or
    /// by accepting the server's new key.
    func isMendedBySignIn(_ error: StoreError) -> Bool {
        switch (error.code, place) {
        case (.unauthorized, .dropbox), (.unauthorized, .webdav), (.untrusted, .webdav): true
        default: false
        }
    }
}
