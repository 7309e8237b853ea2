public import ClubStore
internal import CurlNetworking
public import FoundationEssentials
internal import ByteClubMessages

/// A club's settings: its location, without secrets.
public struct ClubSettings: Hashable, Sendable {
    /// What `--club` and `:club` call it.
    public var name: String
    public var place: Place

    public enum Place: Hashable, Sendable {
        /// A folder on this computer, served by a local server.
        case embedded
        case dropbox(Dropbox)
        case webdav(WebDAV)
    }

    /// A folder on a WebDAV server.
    public struct WebDAV: Hashable, Sendable {
        /// The club's folder.
        public var url: URL
        public var signIn: SignIn
        /// A file of trusted certificates instead of the system's, as an absolute path.
        public var authoritiesFile: String?
        /// The only key to accept, whether or not its certificate is trusted.
        public var pin: ServerKey?

        /// How a user signs in to the server.
        public enum SignIn: Hashable, Sendable {
            case password(user: String)
            /// A bearer token (RFC 6750), which identifies the account.
            case token
        }

        public init(
            url: URL, signIn: SignIn, authoritiesFile: String? = nil, pin: ServerKey? = nil
        ) {
            self.url = url
            self.signIn = signIn
            self.authoritiesFile = authoritiesFile
            self.pin = pin
        }
    }

    /// A folder on Dropbox.
    public struct Dropbox: Hashable, Sendable {
        /// The key of the app that requests access.
        public var appKey: String
        /// A gateway instead of Dropbox itself.
        public var apiURL: URL?
        /// The club's folder; nil for everything the app can access.
        public var folder: String?

        public init(appKey: String, apiURL: URL? = nil, folder: String? = nil) {
            self.appKey = appKey
            self.apiURL = apiURL
            self.folder = folder
        }
    }

    public init(name: String, place: Place) {
        self.name = name
        self.place = place
    }

    /// The club that always exists.
    public static let embedded = ClubSettings(name: "embedded", place: .embedded)

    /// Whether it requires a sign-in.
    public var needsSignIn: Bool { place != .embedded }

    /// For errors: the advice depends on whose server it is.
    public var kind: ErrorMessage.ClubKind { place == .embedded ? .embedded : .remote }

    /// The name on the screen.
    package var title: String { place == .embedded ? localized("embedded club") : name }

    /// The arguments of `byteclub login` for this club.
    package var loginCommand: String {
        switch place {
        case .embedded: "club"
        case .dropbox(let dropbox):
            "dropbox --app-key " + Self.shellQuoted(dropbox.appKey)
                + (dropbox.apiURL.map { " --api-url " + Self.shellQuoted($0.absoluteString) } ?? "")
                + (dropbox.folder.map { " --folder " + Self.shellQuoted($0) } ?? "")
                + " --name \(name)"
        case .webdav(let webdav):
            "webdav \(Self.shellQuoted(webdav.url.absoluteString)) "
                + (webdav.signIn.user.map { "--user " + Self.shellQuoted($0) } ?? "--token")
                + (webdav.authoritiesFile.map { " --ca-file " + Self.shellQuoted($0) } ?? "")
                + (webdav.pin.map { " --pin \($0)" } ?? "")
                + " --name \(name)"
        }
    }

    /// One word of a shell's command line.
    package static func shellQuoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// A description of the kind of club.
    public var placeName: String {
        switch place {
        case .embedded: localized("this computer")
        case .dropbox: localized("Dropbox")
        case .webdav: "WebDAV"
        }
    }
}

extension ClubSettings {
    /// Names that mean the embedded club.
    package static let embeddedNames: Set<String> = ["embedded", "club"]

    /// Why a name is not valid for a club; nil when it is. It becomes part of file names, and is
    /// typed after `--club`.
    public static func refusal(ofName name: String) -> String? {
        if embeddedNames.contains(name.lowercased()) {
            return localized("The name “\(name)” is taken by the club on this computer.")
        }
        let isWritable = name.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
                || "-_.".unicodeScalars.contains($0)
        }
        guard isWritable, let first = name.first, first != "-", first != ".", name.utf8.count <= 64
        else {
            return localized(
                "A club's name is made of letters, digits, “-”, “_” and “.”, at most 64 bytes.")
        }
        return nil
    }

    /// Parses a server's address as people write it: invalid bytes are escaped, valid escapes stay, and the host is spelled
    /// in ASCII.
    package static func address(_ text: String) -> URL? { LenientAddress.url(text) }

    /// Why an address is not valid for a gateway; nil when it is.
    ///
    /// - Parameter allowsPlain: Plain HTTP would expose tokens, so it is allowed for this computer
    ///   only; a WebDAV server can verify a password without receiving it (Digest).
    public static func refusal(ofAddress address: URL, allowsPlain: Bool = false) -> String? {
        guard let scheme = address.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = address.host()?.lowercased(), !host.isEmpty
        else { return localized("The address must begin with https:// and name a host.") }
        guard address.user() == nil, address.password() == nil else {
            return localized(
                "A name or password must not be part of the address, where anyone could read it.")
        }
        guard address.query() == nil, address.fragment() == nil else {
            return localized("The address must have nothing after a “?” or “#”.")
        }
        let names = address.path(percentEncoded: false).split(separator: "/")
        guard !names.contains("."), !names.contains("..") else {
            return localized("The address must name its folder without “.” or “..” on the way.")
        }
        if let port = address.port, !(1...65_535).contains(port) {
            return localized("A port is a number from 1 to 65535.")
        }
        if scheme == "http", !allowsPlain, !LoopbackHost.contains(host) {
            return
                localized(
                    "The address must begin with https://, or secrets could be intercepted."
                )
        }
        return nil
    }
}

extension ClubSettings.WebDAV.SignIn {
    /// Nil for a token.
    public var user: String? {
        if case .password(let user) = self { user } else { nil }
    }

    /// The typed secret.
    var secretName: String { self == .token ? localized("token") : localized("password") }
}

extension ClubSettings {
    /// Why a Dropbox club's key or folder is not valid; nil when they are.
    package static func refusal(of dropbox: Dropbox) -> String? {
        let isKey = dropbox.appKey.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                || "-_.~+=".unicodeScalars.contains($0)
        }
        guard isKey, !dropbox.appKey.isEmpty, dropbox.appKey.utf8.count <= 200 else {
            return localized(
                "The app key must be the one from Dropbox's App Console: letters and digits.")
        }
        if let folder = dropbox.folder, (try? root(of: folder)) == nil {
            return localized("“\(folder)” cannot be a folder's name on Dropbox.")
        }
        return nil
    }

    /// Why a WebDAV club's address, name or file is not valid; nil when they are.
    package static func refusal(of webdav: WebDAV) -> String? {
        // Digest proves a password without sending it; a token is always sent.
        let isToken = webdav.signIn == .token
        if let refusal = refusal(ofAddress: webdav.url, allowsPlain: !isToken) { return refusal }
        if let user = webdav.signIn.user?.unicodeScalars {
            guard !user.isEmpty, !user.contains(":"),
                !user.contains(where: { $0.properties.generalCategory == .control })
            else { return localized("The user's name must not be empty, and has no “:” in it.") }
        }
        if let file = webdav.authoritiesFile, !file.hasPrefix("/") {
            return localized(
                "The file of certificates must be an absolute path, not “\(file)”.")
        }
        return nil
    }

    /// Why a password or token is not valid, before the server is asked; nil when it is.
    package static func refusal(ofSecret secret: String, for webdav: WebDAV) -> String? {
        if secret.isEmpty { return localized("The \(webdav.signIn.secretName) must not be empty.") }
        guard webdav.signIn == .token else { return nil }
        // It becomes part of a header field unchanged.
        return secret.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            ? nil
            : localized("A token has no blanks in it, and nothing but letters, digits and marks.")
    }

    /// The path of a typed folder: `Byte Club`, `/shared/club`.
    static func root(of folder: String) throws(StoreError) -> RemotePath {
        var root = RemotePath.root
        for name in try RemotePath(validating: folder).components {
            root = try root.appending(newName: name)
        }
        return root
    }
}
