import CurlNetworking
import Foundation
import Testing

/// The cookies of curl's `tests/data` that come over https, and those over http beside them, told again: 414,
/// 1561, 1562, 3305. The storage is asked, which the engine asks, too.
@Suite struct CurlSecureCookieTests {
    private let storage = HTTPCookieStorage()

    private func set(_ url: String, _ lines: String...) throws {
        let url = try #require(URL(string: url))
        for line in lines {
            let cookies = HTTPCookie.cookies(
                withResponseHeaderFields: ["Set-Cookie": line], for: url)
            storage.setCookies(cookies, for: url, mainDocumentURL: nil)
        }
    }

    private func sent(_ url: String) throws -> String? {
        let cookies = storage.cookies(for: try #require(URL(string: url))) ?? []
        return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
    }

    /// 414: what came over TLS is not covered up by a server that anybody may play.
    @Test func nobodyCoversUpASecret() throws {
        try set(
            "https://attack.invalid/a/b/1", "SESSIONID=originaltoken; secure",
            "second=originaltoken; secure; path=/a")
        try set(
            "http://attack.invalid/a/b/2", "SESSIONID=hacker; domain=attack.invalid;",
            "second=replacement; path=/a/b")
        #expect(
            try sent("https://attack.invalid/a/b/3")
                == "SESSIONID=originaltoken; second=originaltoken")
    }

    /// 3305.
    @Test func anotherDomainDoesNotCoverItUpEither() throws {
        try set(
            "https://www.example.com/", "this=secret; domain=example.com; secure; path=/",
            "that=secret; domain=www.example.com; secure; path=/", "second=fine;")
        #expect(try sent("http://www.example.com/2") == "second=fine")
        try set(
            "http://www.example.com/2", "this=open; path=/",
            "that=open; path=/; domain=example.com",
            "second=override")
        #expect(
            try sent("https://www.example.com/3") == "this=secret; that=secret; second=override")
    }

    /// 1562.
    @Test func aSecretIsTakenBackOverTLS() throws {
        try set("https://www.example.com/1", "foo=123; path=/; secure;")
        #expect(try sent("https://www.example.com/2") == "foo=123")
        try set(
            "https://www.example.com/2",
            "foo=; Expires=Thu, 01-Jan-1970 00:00:00 GMT; Max-Age=0; Path=/")
        #expect(try sent("https://www.example.com/1") == nil)
    }

    /// 1561: `__Secure-` and `__Host-` mean what they say, in whatever case they are written.
    @Test func aNamePromisesWhereItCameFrom() throws {
        let lines = [
            "__Secure-SID=22345; Domain=example.com", "__Host-SID=32345",
            "__Host-SID=32346; Secure",
            "__Host-SID=32347; Domain=example.com",
            "__Host-SID=32349; Secure; Domain=example.com; Path=/",
        ]
        for line in lines { try set("https://www.example.com/a/b", line) }
        #expect(try sent("https://www.example.com/a/b") == nil)
        try set(
            "https://www.example.com/a/b", "__SecURE-SID=12346; Secure; Domain=example.com",
            "__Host-SID=12346; Secure; Path=/")
        #expect(try sent("https://www.example.com/a/b") == "__SecURE-SID=12346; __Host-SID=12346")
        for line in lines + ["__Secure-A=1; Secure", "__Host-B=1; Secure; Path=/", "s=1; Secure"] {
            try set("http://www.example.com/a/b", line)
        }
        #expect(try sent("https://www.example.com/a/b") == "__SecURE-SID=12346; __Host-SID=12346")
        #expect(try sent("http://www.example.com/a/b") == nil)
    }

    /// 1561: a plain one may stand beside a secret whose path it is not under.
    @Test func elsewhereAPlainOneMayStand() throws {
        try set(
            "https://www.example.com/1", "super=secret; domain=example.com; path=/1561; secure;",
            "supersuper=secret; domain=example.com; path=/1561/login/; secure;")
        try set(
            "http://www.example.com/2", "super=plain; domain=example.com; path=/1561; httponly;",
            "super=plain; domain=example.com; path=/1561/; httponly;",
            "super=plain; domain=example.com; path=/15; httponly;",
            "public=yes; domain=example.com; path=/foo;",
            "supersuper=plain; domain=example.com; path=/1561/login/en;")
        #expect(try sent("http://www.example.com/15") == "super=plain")
        #expect(try sent("http://www.example.com/foo") == "public=yes")
        #expect(try sent("http://www.example.com/1561") == nil)
        #expect(try sent("http://www.example.com/1561/login/en") == nil)
    }
}
