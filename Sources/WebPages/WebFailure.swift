import CurlNetworking
public import FoundationEssentials
internal import ByteClubMessages

/// How the user can retry.
public enum WebRetry: Sendable {
    /// With the key `r`.
    case key
    /// By running the command again.
    case command

    fileprivate var sentence: String {
        switch self {
        case .key: localized("To try again, press r.")
        case .command: localized("To try again, run the command again.")
        }
    }
}

/// Why a page or a list could not be loaded, as sentences for the user.
public enum WebFailure {
    /// What happened and what to do next.
    ///
    /// - Parameters:
    ///   - url: The requested URL; an error that names the address of a redirect refers to that.
    ///   - isSchemeAssumed: Whether the user has typed the address without `https://`.
    public static func sentence(
        for error: any Error, url: URL, retry: WebRetry, isSchemeAssumed: Bool = false
    ) -> String {
        guard let error = error as? URLError else {
            return joined("\(error)", retry.sentence)
        }
        let place = place(of: error.failingURL ?? url)
        // The code may be the same as the server's own failure.
        if let trouble = error.proxyTrouble {
            return joined(
                localized(
                    "\(place) cannot be reached: \(trouble). Check the proxy (https_proxy, http_proxy, "
                        + "all_proxy)."), retry.sentence)
        }
        switch error.code {
        case .cannotFindHost, .dnsLookupFailed:
            return localized("There is no server called \(place). Check the address.")
        case .httpTooManyRedirects:
            return localized(
                "\(place) redirects endlessly. Its owner has to fix that."
            )
        case .badURL: return localized("This is not a valid address. Check it.")
        case .unsupportedURL, .redirectToNonExistentLocation:
            return localized("This address cannot be opened: only http and https addresses can.")
        case .serverCertificateHasBadDate:
            return localized(
                "The certificate of \(place) has expired, so nothing was loaded. Its owner has to renew it."
            )
        case .serverCertificateNotYetValid:
            return localized(
                "The certificate of \(place) is not valid yet, so nothing was loaded. Check the "
                    + "clock of this computer."
            )
        case .serverCertificateUntrusted where isForAnotherHost(error.failureURLPeerTrust):
            return localized(
                "The certificate of \(place) is for another host, so nothing was loaded. Check the "
                    + "address. On a network with a sign-in page, sign in there first."
            )
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            return localized(
                "The identity of \(place) could not be verified, so nothing was loaded: this "
                    + "computer does not trust its certificate. On a network with a sign-in page, sign in "
                    + "there first; else ask the server's owner."
            )
        // A server that speaks plain http may wait for the end of what it takes for a request.
        case .secureConnectionFailed where isSchemeAssumed && place == Self.place(of: url),
            .timedOut where isSchemeAssumed && place == Self.place(of: url):
            return localized(
                "No secure connection to \(place) could be made, so nothing was loaded. If it speaks "
                    + "plain http, begin the address with http://."
            )
        default: return joined(problem(error, at: place), retry.sentence)
        }
    }

    /// What happened, if retrying may help.
    private static func problem(_ error: URLError, at place: String) -> String {
        switch error.code {
        case .cancelled: localized("Stopped.")
        case .cannotConnectToHost:
            localized("\(place) does not answer. Check that the server is running.")
        case .notConnectedToInternet: localized("This computer is not connected to a network.")
        case .timedOut: localized("\(place) did not answer in time.")
        case .networkConnectionLost: localized("The connection to \(place) was lost.")
        case .secureConnectionFailed:
            localized("No secure connection to \(place) could be made, so nothing was loaded.")
        case .cannotParseResponse, .badServerResponse, .cannotDecodeContentData:
            localized("What \(place) answered was not understood. Check the address.")
        default: localized("\(place) could not be loaded: \(error.localizedDescription)")
        }
    }

    private static func isForAnotherHost(_ trust: ServerTrust?) -> Bool {
        trust.map { !$0.isFor(host: $0.host) } ?? false
    }

    private static func joined(_ one: String, _ other: String) -> String {
        localized("\(one) \(other)", context: "sentences")
    }

    private static func place(of url: URL) -> String {
        url.host().map { $0 + (url.port.map { ":\($0)" } ?? "") } ?? localized("this address")
    }

    /// Why a status code is a failure; nil below 400.
    ///
    /// - Parameter hadCredentials: Whether the typed address has a user name for this server; a response's URL has none.
    public static func sentence(
        forStatus status: Int, url: URL, hadCredentials: Bool = false
    ) -> String? {
        let place = url.host() == nil ? localized("The server") : Self.place(of: url)
        return switch status {
        case ..<400: nil
        case 401 where hadCredentials:
            localized(
                "\(place) did not accept the user name and the password in the address (401).")
        case 401: localized("\(place) requires a user name and a password (401).")
        case 403:
            localized(
                "\(place) does not show this to you (403). Ask its owner, or check the address.")
        case 404, 410: localized("There is nothing at this address (\(status)). Check it.")
        case 407:
            localized(
                "The proxy requires a user name and a password (407). Check http_proxy: it may have them, "
                    + "as http://name:password@host:port."
            )
        case 429: localized("\(place) gets too many requests (429). Wait a little.")
        // RFC 6585, section 6.
        case 511:
            localized(
                "This network has a sign-in page (511). Sign in there with a browser, then try again."
            )
        case 500...: localized("\(place) has failed (\(status)). Try again later.")
        default: localized("\(place) refused the request (\(status)).")
        }
    }

    /// `980 B`, `12 KB`, `1.4 MB`.
    public static func size(_ byteCount: Int64) -> String {
        if byteCount < 1000 { return "\(byteCount) B" }
        if byteCount < 1_000_000 { return "\((byteCount + 500) / 1000) KB" }
        let tenths = (byteCount + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) MB"
    }
}
