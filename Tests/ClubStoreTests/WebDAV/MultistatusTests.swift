import Foundation
import Testing

@testable import ClubStore

@Suite struct MultistatusTests {
    private func parse(_ text: String, pieceByteCount: Int = 7) throws -> Multistatus {
        try parse(Data(text.utf8), pieceByteCount: pieceByteCount)
    }

    private func parse(_ bytes: Data, pieceByteCount: Int = 7) throws -> Multistatus {
        let builder = MultistatusBuilder()
        let reader = try XMLReader(builder)
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            try reader.feed(bytes[start..<min(start + pieceByteCount, bytes.count)])
        }
        try reader.finish()
        return builder.result
    }

    @Test func anyPrefixWillDo() throws {
        let answers = [
            """
            <D:multistatus xmlns:D="DAV:"><D:response><D:href>/a</D:href><D:propstat><D:prop>\
            <D:getetag>"1"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
            </D:response></D:multistatus>
            """,
            """
            <multistatus xmlns="DAV:"><response><href>/a</href><propstat><prop>\
            <getetag>"1"</getetag></prop><status>HTTP/1.1 200 OK</status></propstat>\
            </response></multistatus>
            """,
            """
            <?xml version="1.0" encoding="utf-8"?>
            <D:multistatus xmlns:D="DAV:" xmlns:ns0="DAV:">
            <D:response xmlns:lp1="DAV:"><D:href> /a </D:href>
            <D:propstat><D:prop><lp1:getetag>"1"</lp1:getetag></D:prop>
            <ns0:status>HTTP/1.1 200 OK</ns0:status></D:propstat></D:response></D:multistatus>
            """,
        ]
        for answer in answers {
            let response = try #require(try parse(answer).responses.first)
            #expect(response.href == "/a")
            #expect(response.properties.etag == "\"1\"")
        }
    }

    @Test func onlyWhatWasFoundCounts() throws {
        let result = try parse(
            """
            <D:multistatus xmlns:D="DAV:"><D:response><D:href>/a/</D:href>\
            <D:propstat><D:prop><D:getetag>not this</D:getetag><D:resourcetype>\
            <D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 404 Not Found</D:status>\
            </D:propstat><D:propstat><D:prop><D:getcontentlength>7</D:getcontentlength></D:prop>\
            <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>\
            <D:response><D:href>/b</D:href><D:status>HTTP/1.1 404 Not Found</D:status>\
            </D:response></D:multistatus>
            """)
        #expect(result.responses.count == 2)
        #expect(result.responses[0].properties == .init(byteCount: 7))
        #expect(result.responses[1].status == 404)
    }

    @Test func anotherNamespaceIsAnotherName() throws {
        let result = try parse(
            """
            <D:multistatus xmlns:D="DAV:" xmlns:x="urn:x"><D:response><D:href>/a</D:href>\
            <D:propstat><D:prop><x:getetag>no</x:getetag></D:prop>\
            <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
            """)
        #expect(result.responses.first?.properties.etag == nil)
    }

    @Test(arguments: [
        "", "<html><body>Please sign in</body></html>", "{\"entries\":[]}", "<a/>",
        "<multistatus/>", "<D:multistatus xmlns:D=\"DAV:\"><D:response>",
        "<D:multistatus xmlns:D=\"DAV:\"></D:multistatus>more",
        "<!DOCTYPE html><html></html>",
        "<!DOCTYPE m [<!ENTITY a \"b\">]><D:multistatus xmlns:D=\"DAV:\">&a;</D:multistatus>",
        "<!DOCTYPE m SYSTEM \"file:///etc/passwd\"><D:multistatus xmlns:D=\"DAV:\"/>",
        "<D:multistatus xmlns:D=\"DAV:\">&unknown;</D:multistatus>",
        "<D:multistatus xmlns:D=\"DAV:\"><D:response>\u{1}</D:response></D:multistatus>",
    ])
    func whatIsNoneIsRefused(_ text: String) {
        #expect(throws: XMLReader.Fault.self) { try parse(text) }
    }

    /// Ten entities, each ten times the one before: the billion laughs attack.
    private static let laughs =
        "<!DOCTYPE m [<!ENTITY l0 \"ha\">"
        + (1...9).map { number in
            "<!ENTITY l\(number) \"\(String(repeating: "&l\(number - 1);", count: 10))\">"
        }.joined() + "]>"

    @Test(arguments: [
        laughs, "<!DOCTYPE m>", "<!DOCTYPE m [<!ENTITY % p SYSTEM \"http://h.example/d\"> %p;]>",
        "<!DOCTYPE m SYSTEM \"file:///etc/passwd\">",
        "<!DOCTYPE m PUBLIC \"-//x\" \"http://h.example/d\" [<!ATTLIST m a CDATA \"x\">]>",
    ])
    func noDocumentTypeIsEvenRead(_ type: String) {
        let document =
            type + "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>&l9;</D:href>"
            + "</D:response></D:multistatus>"
        #expect(throws: XMLReader.Fault(reason: "a document type is not taken")) {
            try parse(document)
        }
    }

    @Test func whatXMLItselfKnowsIsReadOnce() throws {
        let result = try parse(
            "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/a&amp;lt;&#x1F3D4;&#98;"
                + "<![CDATA[&amp;]]></D:href></D:response></D:multistatus>")
        #expect(result.responses.first?.href == "/a&lt;\u{1F3D4}b&amp;")
    }

    @Test func otherEncodingsAreReadOrRefusedAndNeverGuessed() throws {
        func document(_ encoding: String) -> String {
            "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><D:multistatus xmlns:D=\"DAV:\">"
                + "<D:response><D:href>/na\u{EF}ve</D:href></D:response></D:multistatus>"
        }
        func href(_ encoding: String, _ bytes: Data?) throws -> String? {
            try parse(try #require(bytes)).responses.first?.href
        }
        #expect(try href("utf-8", document("utf-8").data(using: .utf8)) == "/naïve")
        #expect(try href("utf-16", document("utf-16").data(using: .utf16)) == "/naïve")
        #expect(try href("latin", document("iso-8859-1").data(using: .isoLatin1)) == "/naïve")
        for (encoding, bytes) in [
            ("utf-8", document("utf-8").data(using: .isoLatin1)),
            ("us-ascii", document("us-ascii").data(using: .utf8)),
            ("windows-1252", document("windows-1252").data(using: .windowsCP1252)),
            ("utf-16", document("utf-16").data(using: .utf8)),
            ("utf-7", document("utf-7").data(using: .utf8)),
        ] {
            #expect(throws: XMLReader.Fault.self, "\(encoding)") { try href(encoding, bytes) }
        }
    }

    @Test func cutAnywhereItIsNotBelieved() throws {
        let whole = """
            <D:multistatus xmlns:D="DAV:"><D:response><D:href>/a</D:href></D:response>\
            <D:response><D:href>/b</D:href></D:response></D:multistatus>
            """
        #expect(try parse(whole).responses.count == 2)
        for count in 0..<whole.count {
            #expect(throws: XMLReader.Fault.self) { try parse(String(whole.prefix(count))) }
        }
    }

    @Test func textThatConcernsNobodyMayBeLong() throws {
        let long = String(repeating: "x", count: 5 << 20)
        let result = try parse(
            "<D:multistatus xmlns:D=\"DAV:\"><D:note>\(long)</D:note><D:response/>"
                + "</D:multistatus>", pieceByteCount: 100_000)
        #expect(result.responses.count == 1)
    }

    @Test func whatHasNoEndIsNotHeld() {
        let long = String(repeating: "x", count: 3 << 20)
        for begin in ["<!--", "<", "<?"] {
            #expect(throws: XMLReader.Fault(reason: "a tag or comment without end")) {
                try parse(
                    "<D:multistatus xmlns:D=\"DAV:\">\(begin)\(long)", pieceByteCount: 50_000)
            }
        }
    }

    @Test func manyPiecesAreAsGoodAsFew() throws {
        let responses = (0..<20_000).map {
            "<!-- \($0) --><D:response><D:href>/a/\($0)</D:href></D:response>"
        }
        let text = "<D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>"
        for count in [97, 1400, 60_000] {
            #expect(try parse(text, pieceByteCount: count).responses.count == 20_000)
        }
    }

    @Test func depthAndTextAreBounded() {
        let deep = (0..<10_000).map { "<x\($0)>" }.joined()
        #expect(throws: XMLReader.Fault(reason: "nested too deep")) {
            try parse("<D:multistatus xmlns:D=\"DAV:\">" + deep)
        }
        let long = String(repeating: "x", count: 100_000)
        #expect(throws: XMLReader.Fault.self) {
            try parse(
                "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>\(long)</D:href>"
                    + "</D:response></D:multistatus>", pieceByteCount: 4096)
        }
    }
}
