import CurlNetworking
import DropboxAPI
import FoundationEssentials

/// One call of the Dropbox API, and its encoding as an HTTP request.
///
/// - rpc: the argument is the body, JSON.
/// - upload: the argument is a header, the body is bytes.
/// - download: the argument is a header, the body is empty and has no type: the server
///   rejects any type but text or bytes.
///
/// Source: "Request and response formats" of the HTTP documentation.
struct DropboxCall: Sendable {
    private let route: String
    private let host: RouteHost
    private let style: RouteStyle

    /// JSON escaped for use in a header; also valid as a body.
    private let argument: String

    /// Whether the request carries the token. Some routes reject one.
    let isAuthorized: Bool

    /// Whether the call is idempotent.
    var isRepeatable = true

    /// For a download: the first byte to request.
    var rangeStart: Int64 = 0

    /// How long the server may take without a byte moving; nil for the default.
    var timeout: Duration?

    init<Argument, Answer, Failure>(
        _ route: Route<Argument, Answer, Failure>, _ argument: Argument
    ) throws(StoreError) {
        self.route = route.name
        host = route.host
        style = route.style
        isAuthorized = route.takesToken
        do {
            self.argument = try WireJSON.encodeForHeader(argument)
        } catch {
            throw StoreError(
                .badRequest, during: .connect, detail: route.name, underlying: error)
        }
    }

    func request(to hosts: DropboxStore.Hosts, token: String?) -> URLRequest {
        var request = URLRequest(url: url(on: hosts))
        request.httpMethod = "POST"
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        switch style {
        case .rpc:
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(argument.utf8)
        case .upload:
            request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
            request.setValue(argument, forHTTPHeaderField: "Dropbox-API-Arg")
        case .download:
            request.setValue(argument, forHTTPHeaderField: "Dropbox-API-Arg")
            // A compressed body would have a different length and different ranges.
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
            if rangeStart > 0 {
                request.setValue("bytes=\(rangeStart)-", forHTTPHeaderField: "Range")
            }
        }
        if let timeout { request.timeoutInterval = timeout / .seconds(1) }
        return request
    }

    private func url(on hosts: DropboxStore.Hosts) -> URL {
        let base =
            switch host {
            case .api: hosts.api
            case .content: hosts.content
            case .notify: hosts.notify
            }
        return base.appending(path: "2/\(route)")
    }
}
