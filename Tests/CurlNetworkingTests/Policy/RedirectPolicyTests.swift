import Foundation
import Testing

@testable import CurlNetworking

@Suite struct RedirectPolicyTests {
    @Test(
        arguments: [
            (301, "POST", "GET", false), (302, "POST", "GET", false), (303, "POST", "GET", false),
            (303, "PUT", "GET", false), (303, "HEAD", "GET", false), (303, "GET", "GET", true),
            (301, "PUT", "PUT", true), (302, "DELETE", "DELETE", true), (301, "GET", "GET", true),
            (305, "POST", "POST", true), (306, "PUT", "PUT", true),
            (307, "POST", "POST", true), (308, "POST", "POST", true), (308, "PUT", "PUT", true),
        ])
    func keepsOrChangesTheMethod(status: Int, from: String, to: String, keepsBody: Bool) throws {
        var request = try makeRequest("http://a.test/x")
        request.httpMethod = from
        request.httpBody = Data("body".utf8)
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        let (next, keeps) = try #require(follow(request, status, "/y"))
        #expect(next.httpMethod == to)
        #expect(keeps == keepsBody)
        #expect((next.httpBody != nil) == keepsBody)
        #expect((next.value(forHTTPHeaderField: "Content-Type") != nil) == keepsBody)
    }

    @Test(arguments: [200, 300, 304, 399])
    func leavesOtherStatusesAlone(status: Int) throws {
        let request = try makeRequest("http://a.test/x")
        #expect(
            RedirectPolicy.decide(status: status, location: "/y", request: request, followed: 0)
                == .deliver)
    }

    @Test(arguments: [nil, "", "  "]) func deliversARedirectToNowhere(location: String?) throws {
        let request = try makeRequest("http://a.test/x")
        #expect(
            RedirectPolicy.decide(status: 302, location: location, request: request, followed: 0)
                == .deliver)
    }

    @Test(
        arguments: [
            ("/abs", "http://a.test:81/abs"), ("rel", "http://a.test:81/d/rel"),
            ("../up?q=1", "http://a.test:81/up?q=1"), ("?q", "http://a.test:81/d/x?q"),
            ("//b.test/z", "http://b.test/z"), ("https://b.test/", "https://b.test/"),
            ("  /spaces  ", "http://a.test:81/spaces"), ("/a b", "http://a.test:81/a%20b"),
            // What is escaped stays as it is, whatever is not beside it.
            ("/files/a%20b é.txt", "http://a.test:81/files/a%20b%20%C3%A9.txt"),
            ("/p?x=a|b%7C", "http://a.test:81/p?x=a%7Cb%7C"), ("/100%", "http://a.test:81/100%25"),
        ])
    func resolvesLocations(location: String, expected: String) throws {
        let request = try makeRequest("http://a.test:81/d/x?old")
        let (next, _) = try #require(follow(request, 302, location))
        #expect(next.url?.absoluteString == expected)
    }

    @Test func inheritsTheFragment() throws {
        let request = try makeRequest("http://a.test/x#part")
        let (next, _) = try #require(follow(request, 302, "/y"))
        #expect(next.url?.absoluteString == "http://a.test/y#part")
        let (own, _) = try #require(follow(request, 302, "/y#own"))
        #expect(own.url?.absoluteString == "http://a.test/y#own")
    }

    @Test(
        arguments: [
            ("http://b.test/", true), ("http://a.test:8080/", true), ("https://a.test/", true),
            ("http://a.test:80/", false), ("http://A.TEST/", false), ("/same", false),
        ])
    func leavesCredentialsBehindAtAnotherOrigin(location: String, strips: Bool) throws {
        var request = try makeRequest("http://a.test/x")
        for name in ["authorization", "Proxy-Authorization", "Cookie", "Origin", "X-Kept"] {
            request.setValue("v", forHTTPHeaderField: name)
        }
        let (next, _) = try #require(follow(request, 307, location))
        for name in ["Authorization", "Proxy-Authorization", "Cookie", "Origin"] {
            #expect((next.value(forHTTPHeaderField: name) == nil) == strips, "\(name)")
        }
        #expect(next.value(forHTTPHeaderField: "X-Kept") == "v")
    }

    /// RFC 9110 §10.1.3.
    @Test(arguments: [
        ("https://a.test/x", "http://a.test/y", true), ("https://a.test/x", "/y", false),
        ("http://a.test/x", "https://a.test/y", false),
    ])
    func tellsNoPlainServerOfASecretPage(from: String, location: String, strips: Bool) throws {
        var request = try makeRequest(from)
        request.setValue("https://a.test/secret", forHTTPHeaderField: "Referer")
        let (next, _) = try #require(follow(request, 302, location))
        #expect((next.value(forHTTPHeaderField: "Referer") == nil) == strips)
    }

    @Test(arguments: [
        ("file:///etc/passwd", URLError.Code.unsupportedURL), ("ftp://a.test/", .unsupportedURL),
        ("javascript:alert(1)", .unsupportedURL), ("data:,x", .unsupportedURL),
        ("http:///x", .unsupportedURL), ("http://[::1/", .redirectToNonExistentLocation),
    ])
    func refusesWhatIsNotHTTP(location: String, code: URLError.Code) throws {
        let request = try makeRequest("http://a.test/x")
        let decision = RedirectPolicy.decide(
            status: 302, location: location, request: request, followed: 0)
        guard case .fail(let error) = decision else {
            Issue.record("followed \(location): \(decision)")
            return
        }
        #expect(error.code == code)
    }

    /// They get into traces.
    @Test(arguments: ["ftp://b.test/?token=SECRET", "http://[::1/?token=SECRET", "SECRET:x"])
    func theTextOfAnErrorHasNoSecrets(location: String) throws {
        let request = try makeRequest("http://ann:SECRET@a.test/x?token=SECRET#SECRET")
        let decision = RedirectPolicy.decide(
            status: 302, location: location, request: request, followed: 0)
        guard case .fail(let error) = decision else {
            Issue.record("followed \(location): \(decision)")
            return
        }
        #expect(error.underlyingText?.isEmpty == false)
        #expect(error.underlyingText?.contains("SECRET") == false)
    }

    @Test func stopsAtTheLimit() throws {
        let request = try makeRequest("http://a.test/x")
        #expect(follow(request, 302, "/x", followed: RedirectPolicy.limit - 1) != nil)
        let decision = RedirectPolicy.decide(
            status: 302, location: "/x", request: request, followed: RedirectPolicy.limit)
        #expect(decision == .fail(URLError(.httpTooManyRedirects, failingURL: request.url)))
    }

    private func follow(
        _ request: URLRequest, _ status: Int, _ location: String, followed: Int = 0
    ) -> (URLRequest, Bool)? {
        let decision = RedirectPolicy.decide(
            status: status, location: location, request: request, followed: followed)
        guard case .follow(let next, let keepsBody) = decision else { return nil }
        return (next, keepsBody)
    }

    private func makeRequest(_ url: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }
}
