import CurlNetworking
public import FoundationEssentials
internal import Messages

/// Why a page or a list did not come, as sentences for a person.
public enum WebFailure {
    /// What happened and what to do next.
    ///
    /// - Parameter retry: How to try again, e.g. `press r`.
    public static func sentence(for error: any Error, url: URL, retry: String) -> String {
        let place =
            url.host().map { host in
                host + (url.port.map { ":\($0)" } ?? "")
            } ?? localized("this address")
        guard let error = error as? URLError else {
            return localized("\("\(error)") To try again, \(retry).")
        }
        let what: String
        switch error.code {
        case .cancelled: return localized("Stopped. To load it, \(retry).")
        case .cannotConnectToHost:
            what = localized("Nothing answers at \(place). Check that the server runs")
        case .cannotFindHost, .dnsLookupFailed:
            return localized("There is no server called \(place). Check the address.")
        case .notConnectedToInternet:
            what = localized("This computer is not connected to a network")
        case .timedOut: what = localized("\(place) did not answer in time")
        case .networkConnectionLost: what = localized("The connection to \(place) was lost")
        case .httpTooManyRedirects:
            return
                localized(
                    "\(place) leads from one address to the next without end. Its owner has to fix that."
                )
        case .unsupportedURL, .badURL, .redirectToNonExistentLocation:
            return localized("This address cannot be opened: only http and https addresses can.")
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateHasBadDate, .serverCertificateNotYetValid, .secureConnectionFailed:
            return localized(
                "The identity of \(place) could not be verified, so nothing was loaded. \(error)")
        case .cannotParseResponse, .badServerResponse, .cannotDecodeContentData:
            what = localized("What \(place) answered was not understood. Check the address")
        default: what = localized("\(place) could not be loaded. \(error)")
        }
        return what
            + (what.hasSuffix(".")
                ? localized(" To try again, \(retry).") : localized(", then \(retry)."))
    }

    /// Why a status code is a failure; nil below 400.
    public static func sentence(forStatus status: Int, url: URL) -> String? {
        let place = url.host() ?? localized("The server")
        return switch status {
        case ..<400: nil
        case 401: localized("\(place) did not let anybody in without a name and a password (401).")
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
