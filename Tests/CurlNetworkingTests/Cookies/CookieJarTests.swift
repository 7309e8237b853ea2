import Foundation
import Testing

@testable import CurlNetworking

@Suite struct CookieJarTests {
    private static let suffixes = PublicSuffixes(list: "org\ncom\nco.uk\ngithub.io\n".utf8)
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let home = "http://home.example.org:8888/set"

    /// One answer with `Set-Cookie` lines, then one request, and the `Cookie` field it must have.
    struct Case: Sendable, CustomTestStringConvertible {
        var lines: [String]
        var from = CookieJarTests.home
        var to = "http://home.example.org:8888/result"
        var field: String?

        init(
            _ lines: String..., from: String = CookieJarTests.home, to: String? = nil,
            field: String?
        ) {
            self.lines = lines
            self.from = from
            self.to = to ?? self.to
            self.field = field
        }

        var testDescription: String { lines.joined(separator: " | ") + " → " + to }
    }

    @Test(
        arguments: [
            Case("foo=bar", field: "foo=bar"),
            Case("foo=bar; Expires=Fri, 07 Aug 2007 08:04:19 GMT", field: nil),
            Case("foo", field: nil), Case("=foo", field: nil), Case("foo=", field: "foo="),
            Case("foo=bar; secure", field: nil),
            Case("foo=bar", "foo=qux", field: "foo=qux"), Case("z=y", "a=b", field: "z=y; a=b"),
            Case("a=1", "b=2", "a=3", field: "a=3; b=2"), Case("a=1", "a=; max-age=0", field: nil),
            Case("foo=bar, baz=qux", field: "foo=bar, baz=qux"),
            // Domains
            Case("a=b; domain=home.example.org", field: "a=b"),
            Case("a=b; domain=home.example.org", to: "http://sibling.example.org/", field: nil),
            Case("a=b; domain=home.example.org", to: "http://sub.home.example.org/", field: "a=b"),
            Case("a=b; domain=.example.org", to: "http://sibling.example.org/", field: "a=b"),
            Case("a=b", to: "http://sub.home.example.org/", field: nil),
            Case("a=b", to: "http://HOME.Example.ORG/", field: "a=b"),
            Case("a=b; domain=..home.example.org", field: nil),
            Case("a=b; domain=home..example.org", field: nil),
            Case("a=b; domain=home.example.org.", field: nil),
            Case("a=b; domain=home.example.org:8888", field: nil),
            Case("a=b; domain=\"home.example.org\"", field: nil),
            Case(
                "a=b; domain=sub.home.example.org", to: "http://sub.home.example.org/", field: nil),
            Case("a=b; domain=other.org", field: nil), Case("a=b; domain=", field: "a=b"),
            Case("a=b; domain=.", field: "a=b"),
            Case("a=b; domain=other.org; domain=home.example.org", field: "a=b"),
            // Public suffixes
            Case("a=b; domain=org", field: nil), Case("a=b; domain=.org", field: nil),
            Case(
                "a=b; domain=co.uk", from: "http://x.co.uk/", to: "http://x.co.uk/", field: nil),
            Case(
                "a=b; domain=github.io", from: "http://github.io/", to: "http://github.io/",
                field: "a=b"),
            Case(
                "a=b; domain=github.io", from: "http://github.io/", to: "http://evil.github.io/",
                field: nil),
            Case(
                "a=b; domain=localhost", from: "http://localhost/", to: "http://localhost:80/",
                field: "a=b"),
            // Addresses and other letters
            Case(
                "a=b; domain=0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/", field: nil),
            Case(
                "a=b; domain=127.0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/",
                field: "a=b"),
            Case("a=b", from: "http://[::1]/", to: "http://[::1]:81/", field: "a=b"),
            Case(
                "a=b; domain=bücher.com", from: "http://www.xn--bcher-kva.com/",
                to: "http://xn--bcher-kva.com/", field: "a=b"),
            // Paths
            Case("a=b; path=/result/foo", field: nil),
            Case("a=b; path=/result/foo", to: "http://home.example.org/result/foo/x", field: "a=b"),
            Case("a=b; path=/res", field: nil), Case("a=b; path=res", field: "a=b"),
            Case("a=b; path=/", "x=y; path=/result", field: "x=y; a=b"),
            Case(
                "k=0", "k=1; path=/result", "k=2; path=/", "k=4; domain=.example.org",
                to: "http://home.example.org/result/x", field: "k=1; k=2; k=4"),
            // Secrets
            Case("a=b; secure", from: "https://a.com/", to: "https://a.com/", field: "a=b"),
            Case("a=b; secure", from: "https://a.com/", to: "http://a.com/", field: nil),
            Case("__Secure-a=b", from: "https://a.com/", to: "https://a.com/", field: nil),
            Case(
                "__sEcUrE-a=b; Secure", from: "https://a.com/", to: "https://a.com/",
                field: "__sEcUrE-a=b"),
            Case(
                "__Host-a=b; Secure; path=/", from: "https://a.com/x/", to: "https://a.com/",
                field: "__Host-a=b"),
            Case(
                "__Host-a=b; Secure; path=/x", from: "https://a.com/x/", to: "https://a.com/x",
                field: nil),
            Case(
                "__host-a=b; Secure; path=/; domain=a.com", from: "https://a.com/",
                to: "https://a.com/", field: nil),
        ])
    func sendsWhatTheStandardSays(_ test: Case) throws {
        var jar = CookieJar(suffixes: Self.suffixes)
        let from = try #require(URL(string: test.from))
        for line in test.lines { Self.receive(line, from: from, in: &jar) }
        let cookies = jar.cookies(for: try #require(URL(string: test.to)), now: Self.now)
        #expect(
            (cookies.isEmpty ? nil : cookies.map(\.pair).joined(separator: "; ")) == test.field)
    }

    @Test func withoutAListACookieIsForItsHostAlone() throws {
        var jar = CookieJar(suffixes: PublicSuffixes())
        let home = try #require(URL(string: "http://x.co.uk/"))
        let below = try #require(URL(string: "http://a.x.co.uk/"))
        Self.receive("a=1; domain=co.uk", from: home, in: &jar)
        Self.receive("b=2; domain=x.co.uk", from: home, in: &jar)
        Self.receive("c=3; domain=x.co.uk", from: below, in: &jar)
        Self.receive("d=4", from: home, in: &jar)
        #expect(jar.cookies(for: home, now: Self.now).map(\.pair) == ["b=2", "d=4"])
        #expect(jar.cookies(for: below, now: Self.now).isEmpty)
    }

    @Test func sameNamesOfHostAndDomainStandBesideEachOther() throws {
        var jar = CookieJar(suffixes: Self.suffixes)
        let url = try #require(URL(string: "http://example.org/"))
        Self.receive("a=1", from: url, in: &jar)
        Self.receive("a=2; domain=example.org", from: url, in: &jar)
        #expect(jar.cookies(for: url, now: Self.now).map(\.pair) == ["a=1", "a=2"])
    }

    @Test func nobodyReplacesASecretWithoutSecrecy() throws {
        var jar = CookieJar(suffixes: Self.suffixes)
        let safe = try #require(URL(string: "https://a.example.org/x"))
        let open = try #require(URL(string: "http://b.a.example.org/x"))
        Self.receive("id=1; secure; domain=a.example.org", from: safe, in: &jar)
        Self.receive("id=2; domain=example.org", from: open, in: &jar)
        Self.receive("id=3; domain=a.example.org", from: open, in: &jar)
        Self.receive("id=4; secure", from: open, in: &jar)
        Self.receive("other=5; domain=example.org", from: open, in: &jar)
        #expect(jar.cookies(for: safe, now: Self.now).map(\.pair) == ["id=1", "other=5"])
    }

    @Test func forgetsWhatHasExpired() throws {
        var jar = CookieJar(suffixes: Self.suffixes)
        let url = try #require(URL(string: "http://example.org/"))
        Self.receive("a=1; max-age=10", from: url, in: &jar)
        #expect(jar.cookies(for: url, now: Self.now + 9).count == 1)
        #expect(jar.cookies(for: url, now: Self.now + 10).isEmpty)
        #expect(jar.all(now: Self.now + 10).isEmpty)
    }

    @Test func otherSitesRequestsTakeNoStrictAndLaxCookiesAlong() throws {
        var jar = CookieJar(suffixes: Self.suffixes)
        let url = try #require(URL(string: "https://a.example.org/"))
        let sibling = try #require(URL(string: "https://b.example.org/"))
        let foreign = try #require(URL(string: "https://other.org/"))
        Self.receive("n=0; samesite=none", from: url, in: &jar)
        Self.receive("l=1; samesite=lax", from: url, in: &jar)
        Self.receive("s=2; samesite=strict", from: url, in: &jar)
        let names = { (main: URL?) in
            jar.cookies(for: url, mainDocumentURL: main, now: Self.now).map(\.name)
        }
        #expect(names(nil) == ["n", "l", "s"])
        #expect(names(sibling) == ["n", "l", "s"])
        #expect(names(foreign) == ["n"])
    }

    // MARK: - Limits

    @Test func aSiteCannotFillTheJar() throws {
        var jar = CookieJar(suffixes: Self.suffixes, limits: .init(perSite: 3, perSiteExcess: 0))
        let other = try #require(URL(string: "http://other.org/"))
        Self.receive("keep=1", from: other, in: &jar)
        for index in 0..<10 {
            let url = try #require(URL(string: "http://h\(index).example.org/"))
            Self.receive("c=\(index)", from: url, in: &jar, now: Self.now + Double(index))
        }
        #expect(jar.all(now: Self.now).map(\.value) == ["1", "7", "8", "9"])
    }

    @Test func evictsExpiredThenOpenThenLongUnusedCookies() throws {
        var jar = CookieJar(suffixes: Self.suffixes, limits: .init(perSite: 4, perSiteExcess: 0))
        let url = try #require(URL(string: "https://example.org/"))
        let later = Self.now + 100
        Self.receive("secret=1; secure", from: url, in: &jar)
        Self.receive("short=1; max-age=1", from: url, in: &jar)
        Self.receive("old=1; path=/x", from: url, in: &jar)
        Self.receive("used=1", from: url, in: &jar)
        _ = jar.cookies(for: url, now: later)
        Self.receive("new1=1", from: url, in: &jar, now: later)
        #expect(jar.all(now: later).map(\.name) == ["secret", "old", "used", "new1"])
        Self.receive("new2=1", from: url, in: &jar, now: later + 1)
        #expect(jar.all(now: later).map(\.name) == ["secret", "used", "new1", "new2"])
        for index in 3...9 {
            Self.receive("new\(index)=1", from: url, in: &jar, now: later + Double(index))
        }
        #expect(jar.all(now: later).map(\.name) == ["secret", "new7", "new8", "new9"])
    }

    @Test func theWholeJarHasALimitToo() throws {
        var jar = CookieJar(suffixes: Self.suffixes, limits: .init(total: 60, totalExcess: 5))
        for site in 0..<10 {
            let url = try #require(URL(string: "http://s\(site).org/"))
            for index in 0..<10 {
                Self.receive("c\(index)=1", from: url, in: &jar, now: Self.now + Double(site))
            }
            #expect(jar.count <= 65)
        }
        let first = try #require(URL(string: "http://s0.org/"))
        #expect(jar.cookies(for: first, now: Self.now).isEmpty)
    }

    private static func receive(
        _ line: String, from url: URL, in jar: inout CookieJar, now: Date = now
    ) {
        guard let field = SetCookieField(line.utf8),
            let cookie = Cookie(field, from: url, now: now)
        else { return }
        try? jar.store(cookie, from: url, now: now)
    }
}
