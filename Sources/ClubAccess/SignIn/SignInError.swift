package import ClubStore
internal import CurlNetworking
internal import FoundationEssentials
internal import ByteClubMessages

/// Why signing in to a club failed. Nothing was changed.
package enum SignInError: Error, Sendable {
    /// The input is not valid; the sentence says why.
    case badInput(String)
    case settings(SettingsError)
    case secret(SecretError)
    case signIn(OAuthError)
    case store(StoreError)
    /// The same for a WebDAV server, whose address was typed.
    case webdav(StoreError, ClubSettings.WebDAV)
    /// The WebDAV server accepts no names and passwords, but what these authentication schemes need.
    case passwordsUnsupported(schemes: [String])
    /// The app lacks permissions that a club needs.
    case missingScopes([String])
    /// The server's certificate is not trusted; the user may know its key.
    case untrusted(UntrustedServer)
    /// This computer cannot receive the redirect.
    case noAnswer(LoopbackError)
}

extension SignInError {
    /// The user has cancelled.
    static let cancelled = SignInError.store(StoreError(.cancelled, during: .connect))
}

extension SignInError: CustomStringConvertible {
    /// For the user: what happened, and what to do next.
    package var description: String {
        switch self {
        case .badInput(let sentence): sentence
        case .settings(let error): error.description
        case .secret(let error): error.description
        case .signIn(let error): Self.sentence(error)
        case .store(let error):
            localized("\(ErrorMessage(error, club: .remote).text) You are not signed in.")
        case .webdav(let error, let club):
            localized("\(Self.sentence(error, at: club)) You are not signed in.")
        case .passwordsUnsupported(let schemes) where AuthenticationSchemes.takeTokens(schemes):
            localized(
                "This server does not take names and passwords (it asks for \(schemes.joined(separator: ", "))): sign in with a token."
            )
        case .passwordsUnsupported(let schemes):
            localized(
                "This server takes neither names and passwords nor tokens (it asks for \(schemes.joined(separator: ", "))), "
                    + "and Byte Club knows no other way. Ask its administrator for an address that takes a password."
            )
        case .untrusted(let server) where server.differsFromPin:
            // No command to paste: it would trust a server in between.
            localized(
                "\(UntrustedServer.changedKeyTitle). \(server.changedKeyText) Only then sign in with that fingerprint as "
                    + "--pin. You are not signed in.")
        case .untrusted(let server):
            localized(
                "The certificate of \(server.host) is not trusted: \(server.reason).\(server.validityAdvice) The fingerprint "
                    + "of its key is \(server.key). If the server's administrator confirms it, sign in "
                    + "with --pin \(server.key); otherwise the connection may be intercepted. You are not "
                    + "signed in."
            )
        case .missingScopes(let scopes): Self.sentence(missing: scopes)
        case .noAnswer(let error): error.description
        }
    }

    /// The cause is usually the input.
    private static func sentence(_ error: StoreError, at club: ClubSettings.WebDAV) -> String {
        let host = club.url.host() ?? ""
        let isPlain = club.url.scheme?.lowercased() == "http"
        return switch error.code {
        case .unauthorized where club.signIn == .token:
            localized(
                "The server does not accept this token: it is mistyped, has expired, or is not for WebDAV."
            )
        case .unauthorized where isPlain && !LoopbackHost.contains(host):
            localized(
                "The name or the password is wrong, or the server wants the password as it is: over plain http it "
                    + "is not sent. If “\(host)” speaks https, begin the address with https://.")
        case .unauthorized: localized("The name or the password is wrong.")
        // Servers respond like this to plain HTTP on a TLS port.
        case .offline where isPlain && error.connectionFailure == .noAnswer,
            .badRequest where isPlain:
            localized(
                "“\(host)” does not answer plain http at this address. If it speaks https at this "
                    + "port, begin the "
                    + "address with https://.")
        case .offline where error.connectionFailure == .unknownHost:
            localized("No server is called “\(host)”. Check the address, and the network.")
        case .offline where error.connectionFailure == .refused:
            localized(
                "“\(host)” does not answer at this address. Check the address and its port, and whether the "
                    + "server runs.")
        case .offline where error.connectionFailure == .noSecureConnection:
            localized(
                "“\(host)” does not speak https at this address. Check the address and its port.")
        case .offline: Self.sentence(error, onTheWayTo: host)
        case .badAnswer where redirectTarget(of: error, at: club.url) != nil:
            localized(
                "The server sends you on to \(redirectTarget(of: error, at: club.url) ?? ""); sign in there if that is right."
            )
        case .badRequest, .wrongKind, .badAnswer, .notFound:
            localized(
                "No WebDAV folder is at this address, and none could be created. Check the address; "
                    + "on a network with a sign-in page, sign in there first.")
        default: ErrorMessage(error, club: .remote).text
        }
    }

    /// Where a server redirects to, if the redirect was not followed: `https://login.example/dav`, as one types it, without
    /// what may be secret in it. Nil for a place that is less secure.
    static func redirectTarget(of error: StoreError, at url: URL) -> String? {
        // A refusal has an underlying error; a redirect has its status and its target.
        guard error.underlying == nil, let detail = error.detail,
            let start = ["301 to ", "302 to ", "307 to ", "308 to "].first(where: {
                detail.hasPrefix($0)
            }),
            let target = LenientAddress.url(String(detail.dropFirst(start.count)), relativeTo: url)?
                .absoluteURL,
            let host = target.host(), !host.isEmpty, let scheme = target.scheme?.lowercased(),
            scheme == "https" || scheme == "http" && url.scheme?.lowercased() == "http"
        else { return nil }
        let place = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let port = target.port.map { ":\($0)" } ?? ""
        return ServerText.name(
            "\(scheme)://\(place)\(port)" + target.path(percentEncoded: true))
    }

    private static func sentence(_ error: StoreError, onTheWayTo host: String) -> String {
        guard case .proxy(let trouble) = error.connectionFailure else {
            return ErrorMessage(error, club: .remote).text
        }
        return
            localized(
                "“\(host)” cannot be reached: \(trouble). Check the address, and the proxy (https_proxy, "
                    + "http_proxy, all_proxy).")
    }

    package static func sentence(missing scopes: [String]) -> String {
        localized(
            "The app is not allowed all that a club needs. In Dropbox's App Console, on the app's page "
                + "“Permissions”, tick \(scopes.joined(separator: ", ")) and sign in again.")
    }

    private static func sentence(_ error: OAuthError) -> String {
        switch error.code {
        case .denied:
            localized(
                "Access was denied on Dropbox's page. Nothing was changed; you can sign in again at any time."
            )
        case .wrongState:
            localized(
                "What the browser brought does not belong to this sign-in. Nothing was changed; sign in again, "
                    + "and use the newest page.")
        case .noCode:
            localized("No code came, so nothing was changed. Sign in again when you have one.")
        case .codeRefused, .revoked:
            localized(
                "Dropbox did not accept the code: it was mistyped, used before, or is too old. Nothing was "
                    + "changed; sign in again and use the new code at once.")
        case .appRefused:
            localized(
                "Dropbox does not accept this app. Check the app key in the App Console, and that the app's "
                    + "permissions are ticked. Nothing was changed.")
        case .badAnswer:
            localized(
                "Dropbox's answer was not understood. If you are on a network with a sign-in "
                    + "page, sign in there first. Nothing was changed.")
        case .store(let code):
            ErrorMessage(
                StoreError(code, during: .connect, underlying: error.underlying), club: .remote
            ).text
                + localized(" You are not signed in.")
        }
    }
}
