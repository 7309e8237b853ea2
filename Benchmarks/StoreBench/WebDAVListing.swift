import ClubStore
import Foundation
import TestSupport

/// The same club on a WebDAV server, whose answer has the look of Apache's.
struct WebDAVListing: LargeClub {
    private let server: LoopbackServer

    var requestCount: Int { server.requests.count }

    init(entryCount: Int) throws {
        let files = (0..<entryCount).map { number in
            """
            <D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/">
            <D:href>/club/Minutes%20of%20meeting%20\(number),%20Z%c3%bcrich.txt</D:href>
            <D:propstat>
            <D:prop>
            <lp1:resourcetype/>
            <lp1:getetag>"\(number)-5af3b8f0c1a00"</lp1:getetag>
            <lp1:getcontentlength>\(number)</lp1:getcontentlength>
            <lp1:getlastmodified>Sun, 13 Sep 2020 12:26:40 GMT</lp1:getlastmodified>
            </D:prop>
            <D:status>HTTP/1.1 200 OK</D:status>
            </D:propstat>
            </D:response>
            """
        }
        let body = """
            <?xml version="1.0" encoding="utf-8"?>
            <D:multistatus xmlns:D="DAV:" xmlns:ns0="DAV:">
            <D:response><D:href>/club/</D:href><D:propstat><D:prop><D:resourcetype>\
            <D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status>\
            </D:propstat></D:response>
            \(files.joined(separator: "\n"))
            </D:multistatus>
            """
        let bytes = Array(body.utf8)
        server = try LoopbackServer { request in
            guard request.method == "PROPFIND", request["Depth"] == "1",
                request["Content-Type"]?.hasPrefix("application/xml") == true
            else { return [.answer("400 Bad Request")] }
            return [.answer("207 Multi-Status", ["Content-Type: application/xml"], body: bytes)]
        }
    }

    func makeStore() throws -> any RemoteStore {
        try WebDAVStore(baseURL: server.url("/club"), credentials: .none)
    }
}
