import Foundation
import Testing

@testable import CurlNetworking

@Suite struct URLRequestTests {
    private let url = URL(filePath: "/")

    @Test func aMirrorOfARequestShowsFoundationsNames() throws {
        var request = URLRequest(url: try #require(URL(string: "http://a.test/")))
        request.setValue("b", forHTTPHeaderField: "A")
        let mirror = Mirror(reflecting: request)
        #expect(
            mirror.children.compactMap(\.label) == [
                "url", "cachePolicy", "timeoutInterval", "mainDocumentURL", "networkServiceType",
                "allowsCellularAccess", "httpMethod", "allHTTPHeaderFields", "httpBody",
                "httpBodyStream", "httpShouldHandleCookies", "httpShouldUsePipelining",
            ])
        #expect(mirror.descendant("allHTTPHeaderFields") as? [String: String] == ["A": "b"])
    }

    @Test func findsFieldsInAnyCase() {
        var request = URLRequest(url: url)
        request.setValue("1", forHTTPHeaderField: "X-One")
        request.addValue("2", forHTTPHeaderField: "x-one")
        #expect(request.value(forHTTPHeaderField: "X-ONE") == "1,2")
        request.setValue("3", forHTTPHeaderField: "x-ONE")
        #expect(request.allHTTPHeaderFields == ["X-One": "3"])
        request.setValue(nil, forHTTPHeaderField: "X-one")
        #expect(request.allHTTPHeaderFields == [:])
        // Foundation does the same; two requests without fields are equal nevertheless.
        #expect(URLRequest(url: url).allHTTPHeaderFields == nil)
        #expect(URLRequest(url: url) == request)
    }

    @Test(arguments: [
        "a\r\nX-Forged: 1", "a\0", "a\r", "a\n", "a\r\n", "\r\nb", "a\n b", "a\r\n b\r\nc",
    ])
    func aValueThatCouldForgeAFieldIsNotTaken(value: String) {
        var request = URLRequest(url: url)
        request.setValue(value, forHTTPHeaderField: "A")
        request.addValue(value, forHTTPHeaderField: "B")
        request.setValue("safe", forHTTPHeaderField: "C")
        request.addValue(value, forHTTPHeaderField: "C")
        #expect(request.allHTTPHeaderFields == ["C": "safe"])
    }

    @Test(arguments: ["a\r\n b", "a\r\n\tb", ""])
    func aFoldedValueIsTaken(value: String) {
        var request = URLRequest(url: url)
        request.setValue(value, forHTTPHeaderField: "A")
        #expect(request.value(forHTTPHeaderField: "A") == value)
    }

    @Test(arguments: [
        ("get", "GET"), ("dELETe", "DELETE"), ("Connect", "CONNECT"), ("patch", "patch"),
        ("PATCH", "PATCH"), ("foo", "foo"), ("", "GET"),
    ])
    func putsTheOldestMethodsInCapitals(given: String, method: String) {
        var request = URLRequest(url: url)
        request.httpMethod = given
        #expect(request.httpMethod == method)
    }

    @Test func aBodyIsBytesOrAStreamNeverBoth() {
        var request = URLRequest(url: url)
        let stream = InputStream(data: Data([1]))
        request.httpBody = Data([2])
        request.httpBodyStream = stream
        #expect(request.httpBody == nil)
        #expect(request.httpBodyStream === stream)
        request.httpBody = Data([3])
        #expect(request.httpBodyStream == nil)
        #expect(request.httpBody == Data([3]))
    }

    @Test func aRelativeURLIsMadeAbsolute() throws {
        let base = URL(string: "http://a.test/x/")
        let request = URLRequest(url: try #require(URL(string: "../y", relativeTo: base)))
        #expect(request.url?.baseURL == nil)
        #expect(request.url?.absoluteString == "http://a.test/y")
    }

    @Test func isAGetWithSixtySecondsUnlessSaid() {
        var request = URLRequest(url: url)
        #expect(request.httpMethod == "GET")
        #expect(request.timeoutInterval == 60)
        #expect(request.attribution == .developer)
        #expect(!request.assumesHTTP3Capable)
        request.httpMethod = nil
        #expect(request.httpMethod == "GET")
        #expect(request == URLRequest(url: url))
    }
}

@Suite struct HTTPURLResponseTests {
    private let url = URL(string: "http://a.test/dir/photo.jpg?x=1")

    @Test func readsTheMediaType() throws {
        let response = try make(["content-type": "Text/HTML; Charset=\"UTF-8\"; x=y"])
        #expect(response.mimeType == "text/html")
        #expect(response.textEncodingName == "utf-8")
        #expect(response.suggestedFilename == "photo.jpg")
        #expect(response.value(forHTTPHeaderField: "CONTENT-TYPE")?.hasPrefix("Text") == true)
        #expect(
            response.allHeaderFields["Content-Type"] as? String
                == "Text/HTML; Charset=\"UTF-8\"; x=y")
    }

    @Test(
        arguments: [
            (["Content-Length": "12"], 12), ([:], -1), (["Content-Length": "-3"], -1),
            (["Content-Length": "12, 12"], -1), (["Content-Length": "99999999999999999999"], -1),
            (["Content-Length": "12", "Content-Encoding": "gzip"], -1),
            (["Content-Length": "12", "Content-Encoding": "identity"], 12),
            (["Content-Length": "12", "Transfer-Encoding": "chunked"], -1),
            (["Content-Length": "12", "Transfer-Encoding": "identity"], 12),
        ] as [([String: String], Int64)])
    func tellsTheLengthOnlyWhenItIsSure(fields: [String: String], length: Int64) throws {
        let head = ResponseHead(status: 200, headers: HTTPHeaderFields(fields))
        #expect(HTTPURLResponse(url: try #require(url), head: head).expectedContentLength == length)
    }

    @Test func anAnswerOfOnesOwnIsAsLongAsItSays() throws {
        let answer = try make(["Content-Length": "997", "Content-Encoding": "gzip"])
        #expect(answer.expectedContentLength == 997)
    }

    @Test(
        arguments: [
            (nil, "page.html"), ("inline", "page.html"),
            ("attachment; filename=\"fname.ext\"", "fname.ext"),
            ("attachment; filename=genome.jpeg; size=3;", "genome.jpeg"),
            ("attachment; filename=\";.ext\"", ";.ext"),
            ("attachment; filename=\"a\\\"b\"", "a\"b"),
            ("attachment; filename=\"/etc/passwd\"", "_etc_passwd"),
            ("attachment; filename=\"a\u{1B}[2J\"", "a_[2J"),
            ("attachment; filename=\"..\"", "page.html"),
            ("attachment; a=b\\; filename=\"wrong\"; filename=right", "right"),
            ("attachment; filename=x; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
            ("attachment; filename=x; filename*=UTF-8''%ZZ", "x"),
            ("attachment; filename=x; filename*=UTF-8''%FF", "x"),
            ("attachment; FILENAME = x", "x"), ("filename=\"", "page.html"),
        ] as [(String?, String)])
    func suggestsASafeFileName(field: String?, name: String) throws {
        let url = try #require(URL(string: "http://a.test/dir/page.html?q"))
        let response = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: nil,
            headerFields: field.map { ["Content-Disposition": $0] })
        #expect(response?.suggestedFilename == name)
    }

    @Test func writesTheNamesOfHTTPsOwnFieldsAsUsual() throws {
        let response = try make(["content-lenGTH": "3", "x-own": "a", "ETAG": "b"])
        #expect(Set(response.allHeaderFields.keys) == ["Content-Length", "x-own", "Etag"])
    }

    @Test func answersAreComparedByWhatTheySay() throws {
        let one = try make(["A": "1"])
        #expect(try one == make(["A": "1"]))
        #expect(try one != make(["A": "2"]))
        #expect(try one.isEqual(make(["A": "1"])))
        #expect(one.copy() as? HTTPURLResponse === one)
        #expect(!one.isEqual("no answer"))
    }

    @Test(arguments: [
        "", ";", "; charset=x", "text/plain; charset=", "text/plain; charset=\"", "\"\"",
    ])
    func survivesOddMediaTypes(field: String) throws {
        _ = try make(["Content-Type": field]).mimeType
    }

    private func make(_ fields: [String: String]) throws -> HTTPURLResponse {
        let url = try #require(url)
        return try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
    }
}

@Suite struct URLErrorTests {
    @Test func isCaughtByItsCode() {
        do {
            throw URLError(.timedOut, failingURL: URL(string: "http://a.test"), underlyingText: "x")
        } catch URLError.cancelled {
            Issue.record("matched another code")
        } catch URLError.timedOut {
        } catch {
            Issue.record("did not match")
        }
    }

    @Test func carriesApplesNumbers() {
        #expect(URLError(.cancelled).errorCode == -999)
        #expect(URLError(.serverCertificateUntrusted).errorCode == -1202)
        #expect(URLError.errorDomain == "NSURLErrorDomain")
        let error: any Error = URLError(.timedOut)
        #expect(error.localizedDescription == "The server did not answer in time.")
    }
}

@Suite struct URLSessionConfigurationTests {
    @Test func takesHeadersOfAnyType() {
        let configuration = URLSessionConfiguration.default
        configuration.httpAdditionalHeaders = ["X-Number": 3, "X-Text": "t"]
        #expect(configuration.httpAdditionalHeaders?["X-Number"] as? String == "3")
        configuration.httpAdditionalHeaders = nil
        #expect(configuration.httpAdditionalHeaders == nil)
    }

    @Test func isCopiedByTheSession() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 5
        let session = URLSession(configuration: configuration)
        configuration.timeoutIntervalForRequest = 6
        session.configuration.timeoutIntervalForRequest = 7
        #expect(session.configuration.timeoutIntervalForRequest == 5)
    }

    @Test func aCopyGoesItsOwnWay() throws {
        let one = URLSessionConfiguration.ephemeral
        one.timeoutIntervalForRequest = 5
        let other = try #require(one.copy() as? URLSessionConfiguration)
        #expect(other !== one)
        #expect(other.timeoutIntervalForRequest == 5)
        #expect(other.urlCache === one.urlCache)
        other.timeoutIntervalForRequest = 6
        #expect(one.timeoutIntervalForRequest == 5)
    }

    @Test func keepsWhatNothingHereCanGrant() {
        let configuration = URLSessionConfiguration.default
        #expect(configuration.multipathServiceType == .none)
        #expect(configuration.sharedContainerIdentifier == nil)
        configuration.multipathServiceType = .handover
        configuration.sharedContainerIdentifier = "group.club"
        let kept = URLSession(configuration: configuration).configuration
        #expect(kept.multipathServiceType == .handover)
        #expect(kept.sharedContainerIdentifier == "group.club")
    }

    @Test func isNewEachTime() {
        URLSessionConfiguration.default.httpMaximumConnectionsPerHost = 1
        #expect(URLSessionConfiguration.default.httpMaximumConnectionsPerHost == 6)
    }

    /// One after another they would be compared twenty thousand million times.
    @Test(.timeLimit(.minutes(1))) func manyFieldsTakeNoLongerEach() {
        var fields = HTTPHeaderFields()
        for number in 0..<200_000 { fields.add("\(number)", for: "X-Field-\(number)") }
        for number in 0..<200_000 { fields["x-field-\(number)"] = "again" }
        #expect(fields.fields.count == 200_000)
        #expect(fields.fields.last == .init(name: "x-field-199999", value: "again"))
        fields["X-FIELD-5"] = nil
        #expect(fields["X-Field-5"] == nil)
        #expect(fields["X-Field-6"] == "again")
        #expect(fields["X-Field-199999"] == "again")
    }

    @Test func fieldsAreFoundHoweverManyThereAre() {
        for count in [1, 10, 31, 32, 33, 100] {
            var fields = HTTPHeaderFields()
            for number in 0..<count { fields["Name-\(number)"] = "\(number)" }
            fields.add("more", for: "NAME-0")
            #expect(fields["name-0"] == "0, more")
            #expect(fields.spelling(of: "NAME-\(count - 1)") == "Name-\(count - 1)")
            #expect(fields["name-\(count)"] == nil)
            fields["name-0"] = nil
            #expect(fields["Name-0"] == nil)
            #expect(fields.fields.count == count - 1)
            fields["Name-0"] = "new"
            #expect(fields.fields.last == .init(name: "Name-0", value: "new"))
        }
    }
}
