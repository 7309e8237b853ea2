import CurlNetworking
public import FoundationEssentials

/// Why a page or a list did not come, as sentences for a person.
public enum WebFailure {
    /// What happened and what to do next.
    ///
    /// - Parameter retry: How to try again, e.g. `press r`.
    public static func sentence(for error: any Error, url: URL, retry: String) -> String {
        let place =
            url.host().map { host in
                host + (url.port.map { ":\($0)" } ?? "")
            } ?? "this address"
        guard let error = error as? URLError else { return "\(error) To try again, \(retry)." }
        let what: String
        switch error.code {
        case .cancelled: return "Stopped. To load it, \(retry)."
        case .cannotConnectToHost:
            what = "Nothing answers at \(place). Check that the server runs"
        case .cannotFindHost, .dnsLookupFailed:
            return "There is no server called \(place). Check the address."
        case .notConnectedToInternet: what = "This computer is not connected to a network"
        case .timedOut: what = "\(place) did not answer in time"
        case .networkConnectionLost: what = "The connection to \(place) was lost"
        case .httpTooManyRedirects:
            return
                "\(place) leads from one address to the next without end. Its owner has to mend that."
        case .unsupportedURL, .badURL, .redirectToNonExistentLocation:
            return "This address cannot be opened: only http and https addresses can."
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateHasBadDate, .serverCertificateNotYetValid, .secureConnectionFailed:
            return "The identity of \(place) could not be verified, so nothing was loaded. \(error)"
        case .cannotParseResponse, .badServerResponse, .cannotDecodeContentData:
            what = "What \(place) answered was not understood. Check the address"
        default: what = "\(place) could not be loaded. \(error)"
        }
        return what + (what.hasSuffix(".") ? " To try again, \(retry)." : ", then \(retry).")
    }

    /// Why a status code is a failure; nil below 400.
    public static func sentence(forStatus status: Int, url: URL) -> String? {
        let place = url.host() ?? "The server"
        return switch status {
        case ..<400: nil
        case 401: "\(place) did not let anybody in without a name and a password (401)."
        case 403: "\(place) does not show this to you (403)."
        case 404, 410: "There is nothing at this address (\(status)). Check it."
        case 429: "\(place) gets too many requests (429). Wait a little."
        case 500...: "\(place) has failed (\(status)). Try again later."
        default: "\(place) refused the request (\(status))."
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
