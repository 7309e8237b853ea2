import Foundation
import Testing

@testable import CurlNetworking

@Suite struct HTTPCookieTests {
    @Test func needsNameValuePathAndADomain() throws {
        #expect(HTTPCookie(properties: [.name: "n", .value: "v", .path: "/"]) == nil)
        #expect(HTTPCookie(properties: [.name: "n", .value: "v", .domain: "a.test"]) == nil)
        let cookie = try #require(
            HTTPCookie(properties: [
                .name: "n", .value: "v @#$%^$&*", .path: "/", .domain: "A.test",
            ]))
        #expect(cookie.domain == "a.test")
        #expect(cookie.value == "v @#$%^$&*")
        #expect(cookie.isSessionOnly)
        let url = try #require(URL(string: "https://b.test/x"))
        let other = HTTPCookie(
            properties: [.name: "n", .value: "v".dropFirst(0), .path: "/", .originURL: url])
        #expect(other?.domain == "b.test")
    }

    @Test(
        arguments: [
            ("", "v", "/", "a.test"), ("a=b", "v", "/", "a.test"), ("a;b", "v", "/", "a.test"),
            ("n", "v;w", "/", "a.test"), ("n", "v\nw", "/", "a.test"),
            ("n", "v", "/\u{0}", "a.test"),
            ("n", "v", "/", ""), ("n", "v", "/", "."), ("n", "v", "/", "a/b"),
            ("n", "v", "/", "a\r.test"),
        ])
    func refusesWhatAFieldCannotCarry(name: String, value: String, path: String, domain: String) {
        #expect(
            HTTPCookie(properties: [.name: name, .value: value, .path: path, .domain: domain])
                == nil)
    }

    @Test func readsTheOlderProperties() throws {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: "n", .value: "v", .path: "/", .domain: ".a.test", .comment: "hello",
            .commentURL: "https://a.test", .discard: "TRUE",
            .expires: Date(timeIntervalSince1970: 9),
            .maximumAge: "2000", .port: "443, 8443", .secure: "YES", .sameSitePolicy: "Strict",
        ]
        let cookie = try #require(HTTPCookie(properties: properties))
        #expect(cookie.version == 0 && cookie.portList == [443] && cookie.expiresDate == nil)
        #expect(cookie.isSessionOnly && cookie.isSecure && cookie.comment == "hello")
        #expect(cookie.sameSitePolicy == .sameSiteStrict)
        properties[.version] = "1"
        properties[.discard] = nil
        let newer = try #require(HTTPCookie(properties: properties))
        #expect(newer.portList == [443, 8443] && !newer.isSessionOnly)
        #expect(try #require(newer.expiresDate).timeIntervalSinceNow > 1900)
    }

    @Test func canBeMadeAgainFromItsProperties() throws {
        let url = try #require(URL(string: "https://a.test/"))
        let lines = "a=b; domain=a.test; path=/x; secure; httponly; samesite=lax; max-age=60, c=d"
        for cookie in HTTPCookie.cookies(withResponseHeaderFields: ["set-cookie": lines], for: url)
        {
            #expect(HTTPCookie(properties: try #require(cookie.properties)) == cookie)
        }
    }

    @Test func readsHeaderFields() throws {
        let url = try #require(URL(string: "https://A.example.com/x/y"))
        let cookies = HTTPCookie.cookies(
            withResponseHeaderFields: [
                "Set-Cookie":
                    "fr=a&2@#; path=/; domain=.Example.com; secure, xd=plm!@#;domain=other.com;httponly",
                "X": "y=z",
            ], for: url)
        #expect(cookies.map(\.domain) == [".example.com", ".other.com"])
        #expect(cookies.map(\.isSecure) == [true, false])
        #expect(cookies.map(\.isHTTPOnly) == [false, true])
        #expect(cookies.map(\.path) == ["/", "/x"])
        let own = HTTPCookie.cookies(withResponseHeaderFields: ["SET-COOKIE": "a=b"], for: url)
        #expect(own.map(\.domain) == ["a.example.com"])
        let address = HTTPCookie.cookies(
            withResponseHeaderFields: ["Set-Cookie": "a=b; domain=1.2.3.4"], for: url)
        #expect(address.map(\.domain) == ["1.2.3.4"])
    }

    @Test func writesHeaderFields() throws {
        #expect(HTTPCookie.requestHeaderFields(with: []) == [:])
        let url = try #require(URL(string: "https://a.test/"))
        let cookies = HTTPCookie.cookies(
            withResponseHeaderFields: ["Set-Cookie": "b=1, a=\"2 3\""], for: url)
        #expect(HTTPCookie.requestHeaderFields(with: cookies) == ["Cookie": "b=1; a=\"2 3\""])
    }
}
