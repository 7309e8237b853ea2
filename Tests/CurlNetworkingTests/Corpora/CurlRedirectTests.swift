import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

/// The redirects of curl's `tests/data`, told again, each with the number of curl's case.
@Suite(.timeLimit(.minutes(1))) struct CurlRedirectTests {
    enum Outcome: Sendable, Equatable {
        /// The next request's target, as the proxy reads it.
        case to(String)
        /// The redirect is the answer.
        case stays
        case fails(URLError.Code)
    }

    static let locations: [(number: Int, from: String, location: String, outcome: Outcome)] = [
        (
            11, "http://a.test/want/11", "data/110002.txt?coolsite=yes",
            .to("http://a.test/want/data/110002.txt?coolsite=yes")
        ),
        (
            45, "http://a.test/want/45", "data.cgi?moo=http://&/450002",
            .to("http://a.test/want/data.cgi?moo=http://&/450002")
        ),
        (
            1029, "http://a.test/we/want/our/1029", "data/10290002.txt?coolsite=yes",
            .to("http://a.test/we/want/our/data/10290002.txt?coolsite=yes")
        ),
        (
            998, "http://somewhere.example/998", "http://somewhere.else.example/a/path/9980002",
            .to("http://somewhere.else.example/a/path/9980002")
        ),
        (
            28, "http://a.test/want/28", " /online/1,1795,Welcome,00.html?logout=TRUE",
            .to("http://a.test/online/1,1795,Welcome,00.html?logout=TRUE")
        ),
        (
            49, "http://a.test/we/are/all/49", "../moo.html/2",
            .to("http://a.test/we/are/moo.html/2")
        ),
        (50, "http://a.test/we/are/all/50", "../../moo.html/2", .to("http://a.test/we/moo.html/2")),
        (51, "http://a.test/we/are/all/51", "../../../../../../../2", .to("http://a.test/2")),
        (52, "http://a.test/we/are/all/52", "./2", .to("http://a.test/we/are/all/2")),
        (55, "http://a.test/55", "550002", .to("http://a.test/550002")),
        (
            187, "http://a.test?oh=what-weird=test/187", "/root/2.txt?coolsite=yes",
            .to("http://a.test/root/2.txt?coolsite=yes")
        ),
        (
            276, "http://a.test/want?uri=http://anything/276?secondq",
            "data/2.txt?c=http://anotherurl/?a_second",
            .to("http://a.test/data/2.txt?c=http://anotherurl/?a_second")
        ),
        (
            1011, "http://a.test/blah/1011", "moo.html&testcase=/2",
            .to("http://a.test/blah/moo.html&testcase=/2")
        ),
        (
            1031, "http://a.test/want/this/1031", "?coolsite=yes/2.txt",
            .to("http://a.test/want/this/1031?coolsite=yes/2.txt")
        ),
        (
            1314, "http://first.test/want/1314", "//somewhere.test/reply/1314",
            .to("http://somewhere.test/reply/1314")
        ),
        // Fragments stay here.
        (
            1413, "http://a.test/this/1413", "moo.html/2#fragmentpart",
            .to("http://a.test/this/moo.html/2")
        ),
        // Spaces are escaped as such; curl writes a plus within a query.
        (
            40, "http://a.test/we/are/40", "../moo.html/?name=d a niel    ",
            .to("http://a.test/we/moo.html/?name=d%20a%20niel")
        ),
        (
            42, "http://a.test/we/are/42", "../m o o.html/2    ",
            .to("http://a.test/we/m%20o%20o.html/2")
        ),
        (
            662, "http://b.test/please/662", "http://a.test/tes t case=/2",
            .to("http://a.test/tes%20t%20case=/2")
        ),
        // An absolute URL goes out as it is written; curl takes the dots out.
        (
            663, "http://b.test/please/663#hello",
            "http://a.test/there/it/is/../../tes t=/2? yes no",
            .to("http://a.test/there/it/is/../../tes%20t=/2?%20yes%20no")
        ),
        (
            1138, "http://a.test/we/are/1138", "../moo.html/?name=آغاز-سم",
            .to("http://a.test/we/moo.html/?name=%D8%A2%D8%BA%D8%A7%D8%B2-%D8%B3%D9%85")
        ),
        (1448, "http://åäö.se/1448", "http://åäö.se/2", .to("http://xn--4cab6c.se/2")),
        (54, "http://a.test/want/54", " ", .stays),
        // Browsers and curl drop one slash, and reach a host that RFC 3986 does not see.
        (1141, "http://a.test/want/1141", "http:///foo.test/want/2", .fails(.unsupportedURL)),
        (1142, "http://a.test/want/1142", "http:////foo.test/want/2", .fails(.unsupportedURL)),
        (
            1518, "http://a.test/1518", "http://1.2 .4.5/test",
            .fails(.redirectToNonExistentLocation)
        ),
        (1028, "http://a.test/1028", "ftp://127.0.0.1/2", .fails(.unsupportedURL)),
        (1159, "http://a.test/1159", "ht3p://localhost/anything", .fails(.unsupportedURL)),
        (1563, "http://a.test/1563", "gopher://127.0.0.1:8999/1563", .fails(.unsupportedURL)),
        (795, "http://a.test/795", "imap://example.test/", .fails(.unsupportedURL)),
    ]

    /// A proxy that answers its first request with a redirect and all others with 200.
    private func makeProxy(_ lines: [String]) throws -> LoopbackServer {
        let isFirst = Mutex(true)
        let redirect = (lines + ["Content-Length: 0", "", ""]).joined(separator: "\r\n")
        return try LoopbackServer { _ in
            let isRedirected = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isRedirected ? [.send(redirect)] : [.answer("200 OK", ["Location: ignored"])]
        }
    }

    @Test(arguments: locations.indices) func aLocationLeadsThere(index: Int) async throws {
        let one = Self.locations[index]
        let proxy = try makeProxy(["HTTP/1.1 302 Found", "Location: \(one.location)"])
        let session = makeSession(nil, proxy.asProxy)
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: one.from))
        switch one.outcome {
        case .to(let target):
            _ = try await session.data(from: url)
            #expect(proxy.requests.count == 2, "\(one.number)")
            #expect(proxy.requests.last?.target == target, "\(one.number)")
        case .stays:
            let (_, response) = try await session.data(from: url)
            #expect((response as? HTTPURLResponse)?.statusCode == 302)
            #expect(proxy.requests.count == 1)
        case .fails(let code):
            #expect(
                await errorCode { try await session.data(from: url) } == code, "\(one.number)")
            #expect(proxy.requests.count == 1)
        }
    }

    /// 1011, 1051, 1076, 1197, 1325, 1332, 1524, 1571 to 1581, 1983, 1984, 796, 797. A method of one's own is
    /// kept but by 303, as curl does that obeys the status; curl's older ways are options of curl.
    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
        (308, "POST", "POST"), (301, "PUT", "PUT"), (302, "PUT", "PUT"), (303, "PUT", "GET"),
        (308, "PUT", "PUT"), (303, "DELETE", "GET"), (301, "PATCH", "PATCH"),
        (302, "IGLOO", "IGLOO"), (303, "IGLOO", "GET"), (308, "IGLOO", "IGLOO"),
    ])
    func aMethodAndItsBodyGoAlongOrNot(status: Int, method: String, next: String) async throws {
        let proxy = try makeProxy(["HTTP/1.1 \(status) X", "Location: /2"])
        let session = makeSession(nil, proxy.asProxy)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: try #require(URL(string: "http://a.test/1")))
        request.httpMethod = method
        _ = try await session.upload(for: request, from: Data("moo".utf8))
        #expect(proxy.requests.map(\.method) == [method, next])
        #expect(proxy.requests.map(\.text) == ["moo", next == method ? "moo" : ""])
    }

    /// 974, 317, 330, 2015, 184: what was for the first host is not for another, nor for another port.
    @Test(arguments: ["http://b.test/2", "http://a.test:9999/2", "http://@a.test:9999/2"])
    func secretsStayAtTheFirstHost(location: String) async throws {
        let proxy = try makeProxy(["HTTP/1.1 301 X", "Location: \(location)"])
        let session = makeSession(nil, proxy.asProxy)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: try #require(URL(string: "http://a.test/1")))
        request.setValue("Basic am9lOnNlY3JldA==", forHTTPHeaderField: "Authorization")
        request.setValue("test=yes", forHTTPHeaderField: "Cookie")
        _ = try await session.data(for: request)
        #expect(proxy.requests.map { $0["Authorization"] } == ["Basic am9lOnNlY3JldA==", nil])
        #expect(proxy.requests.map { $0["Cookie"] } == ["test=yes", nil])
        let target = proxy.requests.last?.target
        #expect(target == location.replacing("@", with: ""))
    }

    /// 772: which of them is meant? curl since 8.16, and browsers, ask the same.
    @Test func twoLocationsAreNoAnswer() async throws {
        let proxy = try makeProxy(["HTTP/1.1 302 X", "Location: /this", "Location: /that"])
        let session = makeSession(nil, proxy.asProxy)
        defer { session.invalidateAndCancel() }
        let url = try #require(URL(string: "http://a.test/1"))
        #expect(
            await errorCode { try await session.data(from: url) } == .cannotParseResponse)
        #expect(proxy.requests.count == 1)
    }

    /// 773.
    @Test func theSameLocationTwiceIsOne() async throws {
        let proxy = try makeProxy(["HTTP/1.1 302 X", "Location: /this", "Location: /this"])
        let session = makeSession(nil, proxy.asProxy)
        defer { session.invalidateAndCancel() }
        _ = try await session.data(from: try #require(URL(string: "http://a.test/1")))
        #expect(proxy.requests.last?.target == "http://a.test/this")
    }

    /// 3032: a URL may lead to itself, as long as that ends; 25: it does not.
    @Test(arguments: [3, Int.max]) func aLoop(rounds: Int) async throws {
        let count = Mutex(0)
        let server = try LoopbackServer { _ in
            let isLast = count.withLock { count in
                count += 1
                return count > rounds
            }
            return isLast
                ? [.answer(body: "out")] : [.answer("301 redirect", ["Location: /3032"])]
        }
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        let url = server.url("/3032")
        guard rounds < .max else {
            let code = await errorCode { try await session.data(from: url) }
            #expect(code == .httpTooManyRedirects)
            return
        }
        #expect(try await session.data(from: url).0 == Data("out".utf8))
        #expect(server.requests.count == rounds + 1)
    }

    /// 188: what was asked for in part is so at the next place, too.
    @Test func aRangeGoesAlong() async throws {
        let proxy = try makeProxy(["HTTP/1.1 301 OK", "Location: /188"])
        let session = makeSession(nil, proxy.asProxy)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: try #require(URL(string: "http://a.test/188")))
        request.setValue("bytes=50-", forHTTPHeaderField: "Range")
        _ = try await session.data(for: request)
        #expect(proxy.requests.map { $0["Range"] } == ["bytes=50-", "bytes=50-"])
    }
}
