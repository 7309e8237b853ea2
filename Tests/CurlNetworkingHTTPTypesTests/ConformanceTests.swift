import CurlNetworking
import CurlNetworkingHTTPTypes
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// The cases of swift-http-api-proposal's suite for clients (`HTTPClientConformance`), answered one by one; those of
/// streams are in ``StreamTests``.
@Suite(.timeLimit(.minutes(2))) struct ConformanceTests {
    private let session = makeSession()

    // MARK: - Bytes that are not quite HTTP

    /// Not HTTP, bad case, cut short, two lengths.
    @Test(
        arguments: [
            ("FOOBAR", URLError.Code.cannotParseResponse),
            ("Http/1.1 200 OK\r\nConnection: close\r\n\r\n", .cannotParseResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n1234", .networkConnectionLost),
            ("HTTP/1.1 200 OK\r\nContent-Length: 10, 4\r\n\r\n1234", .cannotParseResponse),
        ] as [(String, URLError.Code)])
    func refuses(answer: String, code: URLError.Code) async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .send(answer), .close]])
        let error = await #expect(throws: URLError.self) {
            try await session.data(for: server.request())
        }
        #expect(error?.code == code)
    }

    /// No reason, 204 and 304 with a length, no length, a status of 999.
    @Test(
        arguments: [
            ("HTTP/1.1 200\r\n\r\n", 200, ""),
            ("HTTP/1.1 204 No Content\r\nContent-Length: 1000\r\n\r\n", 204, ""),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n", 304, ""),
            ("HTTP/1.1 200 OK\r\n\r\n1234", 200, "1234"),
            ("HTTP/1.1 404 Not Found\r\n\r\n", 404, ""),
            ("HTTP/1.1 999 Whatever\r\n\r\n", 999, ""),
        ])
    func takes(answer: String, status: Int, body: String) async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .send(answer), .close]])
        let (data, response) = try await session.data(for: server.request())
        #expect(response.status.code == status)
        #expect(String(decoding: data, as: UTF8.self) == body)
    }

    // MARK: - Methods and fields

    @Test(arguments: [HTTPRequest.Method.head, .get, .put, .post, .delete])
    func everyMethodGetsItsAnswer(method: HTTPRequest.Method) async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        let (response, body) = try await session.send(server.request(method: method))
        #expect(response.status == .ok)
        #expect(try await body.collect(upTo: 0).isEmpty)
        #expect(body.trailers == nil)
        #expect(server.requests.map(\.method) == [method.rawValue])
    }

    @Test func aHeadHasNoBodyWhateverItsLengthSays() async throws {
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")]
        }
        let (response, body) = try await session.send(server.request(method: .head))
        #expect(response.headerFields[.contentLength] == "1000")
        #expect(try await body.collect(upTo: 0).isEmpty)
        #expect(body.trailers == nil)
    }

    @Test func fieldsAreSentAsTheyAre() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        var request = server.request(method: .post)
        request.headerFields = HTTPFields(
            [("X-Foo", "BARbaz"), ("X-Empty", ""), ("X-Twice", "one"), ("X-Twice", "two")]
                .compactMap { name, value in
                    HTTPField.Name(name).map { HTTPField(name: $0, value: value) }
                })
        _ = try await session.upload(for: request, from: Data("Hello World".utf8))
        let sent = try #require(server.requests.first)
        #expect(sent["X-Foo"] == "BARbaz")
        #expect(sent.values(of: "X-Empty") == [""])
        // A list may be sent as one line (RFC 9110 §5.3).
        #expect(sent.values(of: "X-Twice") == ["one, two"])
        #expect(sent.text == "Hello World")
    }

    @Test func fieldsThatComeTwiceAreThereTwice() async throws {
        let server = try LoopbackServer { _ in
            [
                .answer(
                    "200 OK",
                    ["X-Test: one", "X-Test: two", "Set-Cookie: a=1", "Set-Cookie: b=2"])
            ]
        }
        let (_, response) = try await session.data(for: server.request())
        let name = try #require(HTTPField.Name("X-Test"))
        #expect(response.headerFields[name] == "one, two")
        #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
    }

    @Test func queriesArriveAsTheyWere() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        _ = try await session.data(
            for: server.request("/request?foo=bar&bar=baz&qux=&foo=phew"))
        #expect(server.requests.map(\.target) == ["/request?foo=bar&bar=baz&qux=&foo=phew"])
    }

    // MARK: - Codings

    @Test(
        arguments: [
            (
                "gzip",
                [
                    0x1f, 0x8b, 0x08, 0x00, 0xfd, 0xd6, 0x77, 0x69, 0x04, 0x03, 0x0b, 0x71, 0x0d,
                    0x0e,
                    0xe1, 0x02, 0x00, 0xbe, 0xd7, 0x83, 0xf7, 0x05, 0x00, 0x00, 0x00,
                ]
            ),
            (
                "deflate",
                [0x78, 0x9c, 0x0b, 0x71, 0x0d, 0x0e, 0xe1, 0x02, 0x00, 0x04, 0x68, 0x01, 0x4b]
            ),
            // Whatever was asked for, the server may send the plain text.
            ("identity", [0x54, 0x45, 0x53, 0x54, 0x0a]),
        ] as [(String, [UInt8])])
    func codingsAreUndone(coding: String, bytes: [UInt8]) async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Content-Encoding: \(coding)"], body: bytes)]
        }
        let (data, response) = try await session.data(for: server.request())
        #expect(response.status == .ok)
        #expect(String(decoding: data, as: UTF8.self) == "TEST\n")
    }

    /// libcurl may know it; a server that is not asked for it sends none.
    @Test func brotliIsNotAskedFor() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        _ = try await session.data(for: server.request())
        let accepted = try #require(server.requests.first?["Accept-Encoding"])
        #expect(accepted.contains("gzip") && !accepted.contains("br"))
    }

    // MARK: - Redirects, cookies, cache

    @Test(arguments: ["301 Moved Permanently", "308 Permanent Redirect"])
    func redirectsAreFollowed(status: String) async throws {
        let server = try LoopbackServer { request in
            request.target == "/here"
                ? [.answer(body: request.method)] : [.answer(status, ["Location: /here"])]
        }
        let (data, response) = try await session.data(for: server.request("/there"))
        #expect(response.status == .ok)
        #expect(String(decoding: data, as: UTF8.self) == "GET")
    }

    @Test func redirectsWithoutEndAreAnError() async throws {
        let server = try LoopbackServer { request in
            [.answer("301 Moved", ["Location: " + (request.target == "/a" ? "/b" : "/a")])]
        }
        let error = await #expect(throws: URLError.self) {
            try await session.data(for: server.request("/a"))
        }
        #expect(error?.code == .httpTooManyRedirects)
    }

    @Test func aCookieComesBack() async throws {
        let server = try LoopbackServer { _ in [.answer("200 OK", ["Set-Cookie: foo=bar"])] }
        for _ in 0..<2 { _ = try await session.data(for: server.request()) }
        #expect(server.requests.map { $0["Cookie"] } == [nil, "foo=bar"])
    }

    @Test func whatTheServerConfirmsComesFromTheCacheWithItsNewFields() async throws {
        let server = try LoopbackServer { request in
            request["If-None-Match"] == "\"0\""
                ? [.send("HTTP/1.1 304 Not Modified\r\nETag: \"0\"\r\nX-Cached: true\r\n\r\n")]
                : [
                    .answer(
                        "200 OK", ["ETag: \"0\"", "X-Cached: false", "Cache-Control: no-cache"],
                        body: "0")
                ]
        }
        let name = try #require(HTTPField.Name("X-Cached"))
        for cached in ["false", "true"] {
            let (data, response) = try await session.data(for: server.request())
            #expect(response.status == .ok)
            #expect(response.headerFields[name] == cached)
            #expect(String(decoding: data, as: UTF8.self) == "0")
        }
    }

    // MARK: - Many at once

    @Test func aHundredRequestsAtOnceAreAnswered() async throws {
        let server = try LoopbackServer { request in [.answer(body: request.target)] }
        let session = session
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let (data, _) = try await session.data(for: server.request("/\(number)"))
                    return String(decoding: data, as: UTF8.self)
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(bodies.count == 100)
    }
}

func makeSession() -> URLSession {
    URLSession(configuration: .ephemeral)
}

extension LoopbackServer {
    func request(_ path: String = "/", method: HTTPRequest.Method = .get) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path)
    }
}
