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
    /// - Parameter url: The requested URL; an error that names the address of a redirect refers to that.
    public static func sentence(for error: any Error, url: URL, retry: WebRetry) -> String {
        guard let error = error as? URLError else {
            return joined("\(error)", retry.sentence)
        }
        let place = place(of: error.failingURL ?? url)
        switch error.code {
        case .cannotFindHost, .dnsLookupFailed:
            return localized("There is no server called \(place). Check the address.")
        case .httpTooManyRedirects:
            return localized(
                "\(place) leads from one address to the next without end. Its owner has to fix that."
            )
        case .badURL: return localized("This is not a valid address.")
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
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            return localized(
                "The identity of \(place) could not be verified, so nothing was loaded: this "
                    + "computer does not trust its certificate."
            )
        default: return joined(problem(error, at: place), retry.sentence)
        }
    }

    /// What happened, if retrying may help.
    private static func problem(_ error: URLError, at place: String) -> String {
        switch error.code {
        case .cancelled: localized("Stopped.")
        case .cannotConnectToHost:
            localized("Nothing answers at \(place). Check that the server runs.")
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

    private static func joined(_ one: String, _ other: String) -> String {
        localized("\(one) \(other)", context: "sentences")
    }

    private static func place(of url: URL) -> String {
        url.host().map { $0 + (url.port.map { ":\($0)" } ?? "") } ?? localized("this address")
    }

    /// Why a status code is a failure; nil below 400.
    public static func sentence(forStatus status: Int, url: URL) -> String? {
        let place = url.host() == nil ? localized("The server") : Self.place(of: url)
        return switch status {
        case ..<400: nil
        case 401: localized("\(place) requires a user name and a password (401).")
        case 403: localized("\(place) does not show this to you (403).")
        case 404, 410: localized("There is nothing at this address (\(status)). Check it.")
        case 429: localized("\(place) gets too many requests (429). Wait a little.")
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
