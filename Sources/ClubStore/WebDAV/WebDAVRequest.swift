import CurlNetworking
import FoundationEssentials

/// One request to a WebDAV server.
struct WebDAVRequest: Sendable {
    var method: String
    var url: String
    var fields: [String: String] = [:]
    var body = HTTPLoader.Body.none

    /// Whether the request is idempotent; the sender interprets the response to a repetition.
    var isRepeatable = true

    /// How long the server may take without a byte moving; nil for the default.
    var timeout: Duration?

    /// The length of the file that is asked for, if known.
    var byteCount: Int64?

    init(_ method: String, _ url: String) {
        self.method = method
        self.url = url
    }

    /// Requests properties of a resource, and with depth 1, of its children. Never with
    /// infinite depth: many servers reject that.
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

    /// Requests the changes to a collection since a sync token (RFC 6578).
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

    /// Escapes text for XML.
    private static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// Requests a file's bytes from an offset, uncompressed: compression would change the length
    /// and the tag.
    static func get(
        _ url: String, of byteCount: Int64? = nil, from offset: Int64 = 0,
        through last: Int64? = nil
    ) -> WebDAVRequest {
        var request = WebDAVRequest("GET", url)
        request.byteCount = byteCount
        request.fields["Accept-Encoding"] = "identity"
        if offset > 0 || last != nil {
            request.fields["Range"] = "bytes=\(offset)-\(last.map(String.init) ?? "")"
        }
        return request
    }

    /// The whole file, compressed if the server will have it so: a range of that would be of no use.
    mutating func acceptCompression() {
        for name in ["Accept-Encoding", "Range", "If-Range"] { fields[name] = nil }
    }

    /// Whether a response is compressed although this asks for the bytes as they are. Not that of a file that is
    /// compressed itself, of which some servers say the same: its length is the file's.
    func isCompressed(_ response: HTTPURLResponse) -> Bool {
        guard method == "GET", fields["Accept-Encoding"] == "identity", response.statusCode != 206,
            let coding = response.value(forHTTPHeaderField: "Content-Encoding")?.lowercased(),
            !["", "identity", "aws-chunked"].contains(coding)
        else { return false }
        guard let byteCount, let length = response.value(forHTTPHeaderField: "Content-Length")
        else { return true }
        return Int64(length) != byteCount
    }
}
