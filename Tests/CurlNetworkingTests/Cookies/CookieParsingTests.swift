import Foundation
import Testing

@testable import CurlNetworking

@Suite struct CookieDateTests {
    @Test(
        arguments: [
            ("Sat, 15-Apr-17 21:01:22 GMT", "2017-04-15T21:01:22Z"),
            ("Wed, 25 Apr 2007 21:02:13 GMT", "2007-04-25T21:02:13Z"),
            ("Thu, 19/Apr\\2007 16:00:00 GMT", "2007-04-19T16:00:00Z"),
            ("Nixday,1-Jan-03 1:2:3", "2003-01-01T01:02:03Z"),
            ("Mon, 18-Apr-77 22:50:13 GMT", "1977-04-18T22:50:13Z"),
            ("Thu Apr 18 22:50:12 2007 GMT", "2007-04-18T22:50:12Z"),
            ("22:50:12 2007 april 18 +0900", "2007-04-18T22:50:12Z"),
            ("15 17 Apr 21:01:22", "2017-04-15T21:01:22Z"),
            ("Tue, 29 Feb 2028 00:00:00 GMT", "2028-02-29T00:00:00Z"),
            ("1 Jan 69 0:0:0", "2069-01-01T00:00:00Z"), ("1 Jan 70 0:0:0", "1970-01-01T00:00:00Z"),
            ("1 Jan 1601 0:0:0", "1601-01-01T00:00:00Z"),
            ("31 Dec 9999 23:59:59", "9999-12-31T23:59:59Z"),
        ])
    func readsTheDatesOfTheWild(text: String, expected: String) throws {
        let date = try Date(expected, strategy: .iso8601)
        #expect(CookieDate.parse(text.utf8) == date)
    }

    @Test(
        arguments: [
            "", "tomorrow", "98 April 17 21:01:22", "Thu, 012-Aug-2008 20:49:07 GMT",
            "12-Aug-31841 20:49:07", "12-Aug-2007 20:61:00", "12-Aug-2007 20:00:60",
            "12-Aug-2007 24:00:00", "29 Feb 2027 00:00:00", "31 Apr 2027 00:00:00",
            "0 Jan 2027 0:0:0",
            "1 Jan 1600 0:0:0", "1 Jan 2027 00: 00:00", "1 Jun", "1 Ju 2027 0:0:0",
            "12-Aug-2007 20:61:99999999999",
        ])
    func refusesWhatIsNoDate(text: String) {
        #expect(CookieDate.parse(text.utf8) == nil)
    }
}

@Suite struct SetCookieFieldTests {
    @Test(
        arguments: [
            ("a=b", "a", "b"), ("  A  = BC  ;x;;", "A", "BC"), ("A=== BC ;", "A", "== BC"),
            ("a=\"x; y\"", "a", "\"x"), ("a=", "a", ""), ("a\t=\tb\t", "a", "b"),
            ("foo bar=baz", "foo bar", "baz"), ("春=节", "春", "节"), ("a=b, c=d", "a", "b, c=d"),
        ])
    func splitsNameAndValue(line: String, name: String, value: String) throws {
        let field = try #require(SetCookieField(line.utf8))
        #expect(field.name == name)
        #expect(field.value == value)
    }

    @Test(
        arguments: [
            "", ";", "a", "=b", " = b", "a; b=c", "a=b\u{0}c", "a=b\u{7F}", "a=b; path=/\u{1}",
            "a=b\nc=d", "a=" + String(repeating: "x", count: 4096),
        ])
    func refusesWhatIsNoCookie(line: String) {
        #expect(SetCookieField(line.utf8) == nil)
    }

    @Test func takesALargestCookieAndIgnoresAnAttributeThatIsTooLong() throws {
        let value = String(repeating: "x", count: 4095)
        let path = "/" + String(repeating: "y", count: 1024)
        let field = try #require(SetCookieField("a=\(value); path=/z; path=\(path)".utf8))
        #expect(field.value == value)
        #expect(field.path == "/z")
    }

    @Test func readsAttributesInAnyCaseAndTheLastOfEach() throws {
        let field = try #require(
            SetCookieField(
                "a=b; SECURE=no; httponly ; Path=/x; path = /y; domain=.A.Example; SameSite=LAX"
                    .utf8))
        #expect(field.isSecure && field.isHTTPOnly)
        #expect(field.path == "/y")
        #expect(field.domain == "a.example")
        #expect(field.sameSite == "lax")
    }

    @Test(
        arguments: [
            ("Path=/x; Path=", nil), ("Path=; Path=/x", "/x"), ("Path=x", nil), ("Path", nil),
            ("Path=\"/x\"", nil),
        ] as [(String, String?)])
    func aLaterPathThatIsNoneAsksForTheDefault(attributes: String, path: String?) throws {
        #expect(try #require(SetCookieField("a=b; \(attributes)".utf8)).path == path)
    }

    @Test(
        arguments: [
            ("max-age=60", 60), ("max-age=-1", 0), ("max-age=-", 0), ("max-age=0", 0),
            ("max-age=6x", nil), ("max-age=+6", nil), ("max-age=", nil), ("max-age=\"6\"", nil),
            ("max-age=99999999999999999999999999", 3_162_240_000), ("max-age=5; max-age=x", 5),
        ] as [(String, Int?)])
    func readsMaxAge(attributes: String, seconds: Int?) throws {
        #expect(try #require(SetCookieField("a=b; \(attributes)".utf8)).maxAge == seconds)
    }

    @Test func maxAgeWinsOverExpires() throws {
        let now = Date(timeIntervalSince1970: 1000)
        let line = "a=b; max-age=60; expires=Thu, 01 Jan 1970 00:00:00 GMT"
        #expect(
            try #require(SetCookieField(line.utf8)).expiry(now: now) == now.addingTimeInterval(60))
        let gone = try #require(SetCookieField("a=b; expires=1 Jan 2030 0:0:0; max-age=0".utf8))
        #expect(gone.expiry(now: now) == .distantPast)
        #expect(try #require(SetCookieField("a=b; expires=soon".utf8)).expiry(now: now) == nil)
    }
}

@Suite struct SetCookieLinesTests {
    @Test(
        arguments: [
            ("a=b", ["a=b"]), ("a=b, c=d", ["a=b", "c=d"]), ("a=b,c=d", ["a=b", "c=d"]),
            (
                "a=b; expires=Wed, 21 Sep 2016 05:33:00 GMT; path=/, c=d",
                ["a=b; expires=Wed, 21 Sep 2016 05:33:00 GMT; path=/", "c=d"]
            ),
            (
                "a=b; expires=Sun, 16-Aug-2025 22:39:54 GMT, c=d; expires=Sat, 15-Feb-2014 22:39:54 GMT",
                [
                    "a=b; expires=Sun, 16-Aug-2025 22:39:54 GMT",
                    "c=d; expires=Sat, 15-Feb-2014 22:39:54 GMT",
                ]
            ),
            ("a=b; HttpOnly,\nc=d", ["a=b; HttpOnly", "c=d"]),
            ("a=1,2,3; path=/, b = 4", ["a=1,2,3; path=/", "b = 4"]),
            ("a=\"x, y=z\", b=c", ["a=\"x, y=z\"", "b=c"]), ("a=\"x, y=z", ["a=\"x", "y=z"]),
            ("n=v; Comment=one, t@o=two", ["n=v; Comment=one, t@o=two"]), ("", [""]),
            ("a=b,", ["a=b,"]),
        ])
    func takesApartWhatADictionaryJoined(joined: String, lines: [String]) {
        #expect(SetCookieLines.split(joined).map { String(decoding: $0, as: UTF8.self) } == lines)
    }
}

@Suite struct CookieScopeTests {
    @Test(
        arguments: [
            ("EXAMPLE.org", "example.org"), ("bücher.example", "xn--bcher-kva.example"),
            ("BÜCHER.Example", "xn--bcher-kva.example"), ("日本語.jp", "xn--wgv71a119e.jp"),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            ("faß.example", "xn--fa-hia.example"), ("[::1]", "::1"), ("", nil),
        ] as [(String, String?)])
    func spellsHostsInOneWay(host: String, canonical: String?) {
        #expect(CookieScope.canonicalHost(host) == canonical)
    }

    @Test(
        arguments: [
            ("example.org", "example.org", true), ("a.example.org", "example.org", true),
            ("a.b.example.org", "example.org", true), ("badexample.org", "example.org", false),
            ("example.org", "a.example.org", false), ("example.org", "", false),
            ("1.2.3.4", "3.4", false), ("1.2.3.4", "1.2.3.4", true), ("::1", "1", false),
            ("1.2.3.400", "3.400", true),
        ])
    func matchesDomains(host: String, domain: String, matches: Bool) {
        #expect(CookieScope.host(host, matches: domain) == matches)
    }

    @Test(
        arguments: [
            ("/a/b", "/", true), ("/a/b", "/a", true), ("/a/b", "/a/", true), ("/ab", "/a", false),
            ("/a", "/a/", false), ("/a", "/a", true), ("/a/b", "/a/b/c", false),
            ("/A", "/a", false),
            ("/f%6Fo", "/foo", false),
        ])
    func matchesPaths(path: String, cookiePath: String, matches: Bool) {
        #expect(CookieScope.path(path, matches: cookiePath) == matches)
    }

    @Test(
        arguments: [
            ("http://h", "/"), ("http://h/", "/"), ("http://h/a", "/"), ("http://h/a/", "/a"),
            ("http://h/a/b?c=/d/e", "/a"), ("http://h/a%2Fb/c", "/a%2Fb"),
        ])
    func namesTheDefaultPath(url: String, path: String) throws {
        #expect(CookieScope.defaultPath(of: try #require(URL(string: url))) == path)
    }
}

@Suite struct PublicSuffixesTests {
    private let list = PublicSuffixes(
        list: """
            // comment
            com
            uk.com
            jp
            ac.jp
            *.kobe.jp
            !city.kobe.jp
            *.ck   trailing words
            !www.ck
            公司.cn
            github.io
            """.utf8)

    /// In the manner of the list's own test vectors.
    @Test(
        arguments: [
            ("com", nil), ("example.com", "example.com"), ("a.b.example.com", "example.com"),
            ("uk.com", nil), ("b.example.uk.com", "example.uk.com"), ("unlisted", nil),
            ("example.unlisted", "example.unlisted"), ("c.b.a.unlisted", "a.unlisted"),
            ("ac.jp", nil), ("test.ac.jp", "test.ac.jp"), ("c.kobe.jp", nil),
            ("b.c.kobe.jp", "b.c.kobe.jp"), ("city.kobe.jp", "city.kobe.jp"),
            ("www.city.kobe.jp", "city.kobe.jp"), ("kobe.jp", "kobe.jp"), ("test.ck", nil),
            ("b.test.ck", "b.test.ck"), ("www.ck", "www.ck"), ("xn--55qx5d.cn", nil),
            ("shishi.xn--55qx5d.cn", "shishi.xn--55qx5d.cn"), ("io", nil),
            ("me.github.io", "me.github.io"),
            ("1.2.3.4", nil), ("::1", nil), ("localhost", nil), ("com.", nil), ("uk.com.", nil),
            ("a.b.example.com.", "example.com."), (".", nil), ("", nil),
        ] as [(String, String?)])
    func knowsWhatSomebodyRegistered(host: String, domain: String?) {
        #expect(list.registrableDomain(of: host) == domain)
        if !CookieScope.isAddress(host) {
            #expect(list.contains(host) == (domain == nil))
        }
    }

    @Test func withAnEmptyListTopLevelNamesAreSuffixes() {
        let empty = PublicSuffixes(list: "".utf8)
        #expect(empty.contains("org"))
        #expect(!empty.contains("example.org"))
    }

    @Test func withoutAListEveryDomainIsASuffix() {
        let none = PublicSuffixes()
        for domain in ["org", "example.org", "a.b.example.org", "1.2.3.4", ""] {
            #expect(none.contains(domain))
            #expect(none.registrableDomain(of: domain) == nil)
        }
    }

    @Test(
        arguments: [
            ("com", nil), ("example.com", "example.com"), ("a.b.example.com", "example.com"),
            ("unlisted", nil), ("a.his.name", "a.his.name"),
            ("b.a.forgot.his.name", "a.forgot.his.name"),
            ("a.example.com.", "example.com."), ("1.2.3.4", nil), ("", nil), (".", nil),
        ] as [(String, String?)])
    func aLibraryIsAskedForTheLongestSuffix(host: String, domain: String?) {
        let asked = PublicSuffixes(library: { ["com", "his.name", "forgot.his.name"].contains($0) })
        #expect(asked.registrableDomain(of: host) == domain)
        if !CookieScope.isAddress(host) { #expect(asked.contains(host) == (domain == nil)) }
    }

    @Test func theFileComesBeforeTheLibraryAndTheLibraryBeforeNone() throws {
        let folder = try ScratchFolder()
        let file = try folder.put(Data("com\nco.uk\n".utf8)).path(percentEncoded: false)
        let empty = try folder.put(Data("// nothing\n".utf8), "empty").path(percentEncoded: false)
        let missing = folder.path(of: "missing")
        let library = PublicSuffixes(library: { $0 == "x.uk" })
        let read = PublicSuffixes.installed(listAt: file, library: library)
        #expect(read.contains("co.uk") && !read.contains("x.uk"))
        for path in [empty, missing] {
            let asked = PublicSuffixes.installed(listAt: path, library: library)
            #expect(asked.contains("x.uk") && !asked.contains("co.uk"))
            let none = PublicSuffixes.installed(listAt: path, library: nil)
            #expect(none.contains("example.org"))
        }
    }

    @Test(.enabled(if: PublicSuffixes.libpsl != nil))
    func libpslKnowsItsList() throws {
        let list = try #require(PublicSuffixes.libpsl)
        for suffix in ["com", "co.uk", "github.io", "unlisted"] { #expect(list.contains(suffix)) }
        #expect(!list.contains("example.co.uk"))
        #expect(list.registrableDomain(of: "a.b.example.co.uk") == "example.co.uk")
        #expect(list.registrableDomain(of: "a.www.ck") == "www.ck")
    }
}
