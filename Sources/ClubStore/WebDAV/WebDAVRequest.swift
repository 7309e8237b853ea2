import CurlNetworking
import FoundationEssentials

/// One request to a WebDAV server.
struct WebDAVRequest: Sendable {
    var method: String
    var url: String
    var fields: [String: String] = [:]
    var body = HTTPLoader.Body.none

    /// Whether doing it twice is as good as once; what a second time is told is judged by whoever
    /// sends it.
    var isRepeatable = true

    /// How long the server may take without a byte moving; nil for what is usual.
    var timeout: Duration?

    init(_ method: String, _ url: String) {
        self.method = method
        self.url = url
    }

    /// Asks for properties of a resource, and of those in it with depth 1. Never of all below:
    /// many servers refuse that.
    static func propfind(_ url: String, depth: Int, properties: String) -> WebDAVRequest {
        var request = WebDAVRequest("PROPFIND", url)
        request.fields["Depth"] = String(depth)
        request.fields["Content-Type"] = "application/xml; charset=utf-8"
        request.body = .data(
            Data(
                """
                <?xml version="1.0" encoding="utf-8"?>
                <D:propfind xmlns:D="DAV:" xmlns:oc="http://owncloud.org/ns" \
                xmlns:nc="http://nextcloud.org/ns"><D:prop>\(properties)</D:prop></D:propfind>
                """.utf8))
        return request
    }

    /// Asks what has changed in a collection since a moment of the server's own count (RFC 6578).
    static func changes(
        in url: String, since token: String, depth: ReportDepth, properties: String
    ) -> WebDAVRequest {
        var request = WebDAVRequest("REPORT", url)
        request.fields["Depth"] = "0"
        request.fields["Content-Type"] = "application/xml; charset=utf-8"
        request.body = .data(
            Data(
                """
                <?xml version="1.0" encoding="utf-8"?>
                <D:sync-collection xmlns:D="DAV:" xmlns:oc="http://owncloud.org/ns" \
                xmlns:nc="http://nextcloud.org/ns"><D:sync-token>\(escape(token))</D:sync-token>\
                <D:sync-level>\(depth.rawValue)</D:sync-level>\
                <D:prop>\(properties)</D:prop></D:sync-collection>
                """.utf8))
        return request
    }

    /// As text in XML.
    private static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// The bytes of a file from an offset on, never compressed: they would have neither the length
    /// nor the tag that they should have.
    static func get(_ url: String, from offset: Int64 = 0, through last: Int64? = nil)
        -> WebDAVRequest
    {
        var request = WebDAVRequest("GET", url)
        request.fields["Accept-Encoding"] = "identity"
        if offset > 0 || last != nil {
            request.fields["Range"] = "bytes=\(offset)-\(last.map(String.init) ?? "")"
        }
        return request
    }
}
