import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// The cookies of curl's `tests/data`, told again, each with the number of curl's case: what servers set, and
/// what goes along with the requests after that.
///
/// Longer paths come first and then the older cookie, as RFC 6265 §5.4 wants it; curl's order is another.
@Suite(.timeLimit(.minutes(1))) struct CurlCookieTests {
    struct Replay: Sendable, CustomTestStringConvertible {
        var number: String
        /// The fields of the answer to each URL.
        var answers: [String: [String]]
        /// The URLs that are loaded, in order.
        var visits: [String]
        /// The `Cookie` of each request, redirected ones included.
        var sent: [String?]

        var testDescription: String { number }
    }

    private static func replay(
        _ number: String, at url: String, sets cookies: [String], then other: [String],
        sends: [String?]
    ) -> Replay {
        Replay(
            number: number, answers: [url: cookies.map { "Set-Cookie: " + $0 }],
            visits: [url] + other, sent: [nil] + sends)
    }

    static let replays: [Replay] = [
        replay(
            "27", at: "http://a.test/want", sets: ["thewinneris=nowayyouwin; path=/;"],
            then: ["http://a.test/want", "http://a.test/want"],
            sends: ["thewinneris=nowayyouwin", "thewinneris=nowayyouwin"]),
        // A path in quotes does not begin with a slash, and so is the default one (RFC 6265 §5.2.4); curl
        // takes the quotes off.
        replay(
            "7", at: "http://1.2.3.4/we/want/7",
            sets: [
                "foobar=name; domain=1.2.3.4; path=/;",
                "mismatch=this; domain=1.2.3.4; path=\"/silly/\";",
                "partmatch=present; domain=.2.3.4; path=/;",
            ], then: ["http://1.2.3.4/we/want/8", "http://1.2.3.4/"],
            sends: ["mismatch=this; foobar=name", "foobar=name"]),
        replay(
            "8", at: "http://a.test/we/want/8",
            sets: [
                "cookie=yes; path=/we;", "cookie=perhaps; path=/we/want;",
                "name with space=is weird but; path=/we/want;",
                "trailingspace    = removed; path=/we/want;", "nocookie=yes; path=/WE;",
                "blexp=yesyes; domain=a.test; domain=a.test; expiry=totally bad;",
            ], then: ["http://a.test/we/want/8"],
            sends: [
                "cookie=perhaps; name with space=is weird but; trailingspace=removed; "
                    + "blexp=yesyes; cookie=yes"
            ]),
        // Control characters are refused; a tab at the end is a space.
        replay(
            "8, control characters", at: "http://a.test/",
            sets: (1...0x1F).filter { ![9, 10, 13].contains($0) }.map {
                "c\($0)=\(Character(Unicode.Scalar(UInt8($0))))-junk"
            } + ["cookie9=junk--\t", "del=\u{7F}"], then: ["http://a.test/"],
            sends: ["cookie9=junk--"]),
        Replay(
            number: "1024",
            answers: [
                "http://a.test/want/1024": [
                    "Location: ../data/2.txt", "Set-Cookie: firstcookie=want; path=/want/",
                ],
                "http://a.test/data/2.txt": [
                    "Location: ../want/3.txt", "Set-Cookie: nextcookie=data; path=/data/",
                ],
            ], visits: ["http://a.test/want/1024"], sent: [nil, nil, "firstcookie=want"]),
        replay(
            "1104", at: "http://a.test/want/1104",
            sets: [
                "test=true; path=/; expires=Thu Jan  1 00:00:00 GMT 1970;",
                "test2=true; path=/; expires=Fri Feb 13 11:56:27 GMT 2525;",
            ], then: ["http://a.test/want/data"], sends: ["test2=true"]),
        replay(
            "1155", at: "http://a.test/", sets: ["domain=value;path=/"], then: ["http://a.test/"],
            sends: ["domain=value"]),
        replay(
            "1161", at: "http://a.test/deep/1", sets: ["ckyPersistent=permanent;path=;path=/"],
            then: ["http://a.test/"], sends: ["ckyPersistent=permanent"]),
        replay(
            "1216", at: "http://example.fake/c/1",
            sets: [
                "mooo=indeed; path=/a", "moo1=indeed; path=/b", "moo2=indeed; path=/c",
                "moo3=indeed; domain=example.fake; path=/c",
            ], then: ["http://example.fake/c/2", "http://bexample.fake/c/2"],
            sends: ["moo2=indeed; moo3=indeed", nil]),
        replay(
            "1218", at: "http://example.fake/c/1", sets: ["bug=fixed; domain=.example.fake;"],
            then: ["http://example.fake/c/1", "http://bexample.fake/c/1"],
            sends: ["bug=fixed", nil]),
        replay(
            "1228", at: "http://example.fake/hoge/1",
            sets: [
                "path1=root; domain=.example.fake; path=/;",
                "path2=depth1; domain=.example.fake; path=/hoge;",
            ], then: ["http://example.fake/hogege/", "http://example.fake/hoge/"],
            sends: ["path1=root", "path2=depth1; path1=root"]),
        replay(
            "1258 and 331", at: "http://moo/we/want/1", sets: ["I-am=here; domain=moo;"],
            then: ["http://moo/we/want?hoge=fuga", "http://a.moo/we/want"],
            sends: ["I-am=here", nil]),
        replay(
            "1415", at: "http://example.com/we/1",
            sets: ["Thursday, 31-Dec-2525 00:00:00 GMT", "Monday, 13-Jun-1988 03:04:55 GMT"]
                .enumerated().map {
                    "test\($0.offset)=v; expires=\($0.element); domain=example.com; path=/;"
                }, then: ["http://example.com/"], sends: ["test0=v"]),
        replay(
            "1645", at: "http://a.test/we/want/",
            sets: ["name=one; path=/we/want", "name=two; path=/WE/WANT"],
            then: ["http://a.test/we/want/", "http://a.test/WE/WANT/2"],
            sends: ["name=one", "name=two"]),
        replay(
            "1685", at: "http://a.test/",
            sets: ["name=content; path=/we\twant", "accept=this; path=/only/this"],
            then: ["http://a.test/we", "http://a.test/only/this"], sends: [nil, "accept=this"]),
        replay(
            "179", at: "http://supertrooper.fake/c/1",
            sets: ["mooo=indeed; path=/a", "moo1=indeed; path=/b", "moo2=indeed; path=/c"],
            then: ["http://supertrooper.fake/c/179"], sends: ["moo2=indeed"]),
        // What cannot be read as a date does not count.
        replay(
            "483", at: "http://a.test/483",
            sets: [
                "name=value; expires=Fri Feb 13 11:56:27 GMT 2132",
                "name2=value; expires=Fri Feb 13 11:56:27 ; 2132",
                "name3=value; expires=Fri Feb 13 11:56:27 \(String(repeating: ".", count: 51))GMT 2132",
                "name4=value; expires=Fri Feb 13 11:56:27 \(String(repeating: ".", count: 52))GMT 2132",
            ], then: ["http://a.test/483"],
            sends: ["name=value; name2=value; name3=value; name4=value"]),
        replay(
            "1549", at: "http://a.test/1549",
            sets: [
                "c1=123; Path=/; Expires=Thu, 12 Feb 2000 00:00:00 GMT",
                "c2=456; Path=/; Expires=Thu, 12 Feb 2000 00:00:00 GMT;",
            ], then: ["http://a.test/1549"], sends: [nil]),
        replay(
            "1408", at: "http://[::1]/path/14080001.txt?coolsite=yes",
            sets: ["name1=one; path=/path/", "name2=two; domain=[::1]; path=/"],
            then: ["http://[::1]/path/1"], sends: ["name1=one; name2=two"]),
        replay(
            "171", at: "http://z.x.com/1", sets: ["XToken=xt;Domain=.z.x.com;Path=/"],
            then: ["http://z.x.com/2", "http://y.z.x.com/", "http://x.com/"],
            sends: ["XToken=xt", "XToken=xt", nil]),
        Replay(
            number: "327",
            answers: [
                "http://a.test/1": [
                    "Set-Cookie: foobar=name; expires=Thu, 22 Nov 2525 10:54:11 GMT;"
                ],
                "http://a.test/2": [
                    "Set-Cookie: foobar=name; expires=Thu, 01 Jan 1970 00:00:00 GMT;"
                ],
            ], visits: ["http://a.test/1", "http://a.test/2", "http://a.test/3"],
            sent: [nil, "foobar=name", nil]),
        Replay(
            number: "329 and 420",
            answers: [
                "http://a.test/f/1": ["Set-Cookie: test=no; path=/f", "Set-Cookie: tester=yes"],
                "http://a.test/f/2": [
                    "Set-Cookie: testn1=yes; path=/f; Max-Age=-1;",
                    "Set-Cookie: test=yes; path=/f; Max-Age=0;",
                    "Set-Cookie: tester=; path=/; Max-Age=-1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
                ],
            ], visits: ["http://a.test/f/1", "http://a.test/f/2", "http://a.test/f/3"],
            sent: [nil, "test=no; tester=yes", "tester=yes"]),
        replay(
            "61", at: "http://www.host.foo.com/we/want/61",
            sets: [
                "test=yes; httponly; domain=foo.com; expires=Fri Feb 13 11:56:27 GMT 2525",
                "test2=yes; domain=host.foo.com; expires=Fri Feb 13 11:56:27 GMT 2525",
                "test3=maybe; domain=foo.com; path=/moo; secure",
                "test4=no; domain=nope.foo.com; path=/we",
                "test5=name; domain=anything.com; path=/",
                "fake=fooledyou; domain=..com; path=/;",
                "supercookie=fooledyou; domain=.com; path=/;",
            ], then: ["http://www.host.foo.com/we/want/2", "http://foo.com/we/want/"],
            sends: ["test=yes; test2=yes", "test=yes"]),
        replay(
            "73", at: "http://host.NOT_DISCLOSED.se/we",
            sets: ["IPCZQX01=000010008168; path=/; domain=.NOT_DISCLOSED.se"],
            then: ["http://host.not_disclosed.se/"], sends: ["IPCZQX01=000010008168"]),
        replay(
            "798", at: "http://a.test/we/1",
            sets: ["flavor=tasty;\r\n domain=a.test;\r\n path=/p4/;\r\n httponly"],
            then: ["http://a.test/p4/1", "http://a.test/we/1"], sends: ["flavor=tasty", nil]),
        replay(
            "977", at: "http://firsthost.me./1", sets: ["a=b; Domain=.me.;"],
            then: ["http://firsthost.me./1", "http://other.me./"], sends: [nil, nil]),
        replay(
            "46", at: "http://domain..tld/want/46",
            sets: ["ckySession=temporary; path=/", "justaname=; path=/;"],
            then: ["http://domain..tld/want/46"], sends: ["ckySession=temporary; justaname="]),
        replay(
            "31", at: "http://test31.curl/we/want/31",
            sets: [
                "", ";", "blankdomain=sure; domain=; path=/",
                "foobar=name; domain=anything.com; path=/ ; secure",
                "overwrite=this  ; domain=test31.curl; path=/overwrite/",
                "sec1value=secure1  ; domain=test31.curl; path=/we/ ; secure",
                "sec2value=secure2  ; secure ; domain=test31.curl; path=/we/ ; ",
                "secure=very1  ; secure; domain=test31.curl; path=/we/; ",
                "httponly=myvalue1  ; domain=test31.curl; path=/we/; httponly",
                "httpandsec=myvalue2  ; domain=test31.curl; path=/we/; httponly; secure",
                "partmatch=present; domain=test31.curl ; path=/;", "eat=this; domain=moo.foo.moo;",
                "eat=this-too; domain=.foo.moo;", "nodomainnovalue",
                "  nodomain=value; expires=Fri Feb 13 11:56:27 GMT 2525",
                "novalue; domain=reallysilly", "test=yes; domain=foo.com", "test2=yes; domain=se",
                "magic=yessir; path=/silly/; HttpOnly",
                "blexp=yesyes; domain=test31.curl; domain=test31.curl; expiry=totally bad;",
                "partialip=nono; domain=.0.0.1;", "withspaces=  yes  within and around    ;",
                "withspaces2 =before equals;", "prespace=  yes before;",
                "securewithspace=after    ; secure ", "Â³Ã=%96%A6g%9Ay%B0%A5g%A7tm%7C%95%9A",
            ], then: ["http://test31.curl/we/want/31"],
            sends: [
                "nodomain=value; blexp=yesyes; withspaces=yes  within and around; "
                    + "withspaces2=before equals; prespace=yes before; "
                    + "Â³Ã=%96%A6g%9Ay%B0%A5g%A7tm%7C%95%9A; httponly=myvalue1; blankdomain=sure; "
                    + "partmatch=present"
            ]),
    ]

    @Test(arguments: replays) func whatWasSetGoesAlong(_ one: Replay) async throws {
        let isForAddress = one.visits.contains { $0.contains("//[") }
        if isForAddress, LibraryDefects.current.cannotNameAddressToProxy { return }
        let proxy = try LoopbackServer { request in
            let fields = one.answers[request.target] ?? []
            let isRedirect = fields.contains { $0.hasPrefix("Location:") }
            return [.answer(isRedirect ? "302 Found" : "200 OK", fields)]
        }
        let session = makeSession(nil, proxy.asProxy)
        defer { session.invalidateAndCancel() }
        for visit in one.visits {
            _ = try await session.data(from: try #require(URL(string: visit)))
        }
        #expect(proxy.requests.map { $0["Cookie"] } == one.sent)
    }

    /// 1151, 1160 and 46: a name and its value may have 4096 bytes together.
    @Test func aCookieHasALargestSize() async throws {
        let text = { (letter: String, count: Int) in String(repeating: letter, count: count) }
        let lines = [
            "foobar=name", text("A", 3000) + "=" + text("B", 1096),
            text("C", 3000) + "=" + text("B", 1097), text("D", 4096) + "=E", text("F", 4094) + "=E",
            text("n", 4000) + "=" + text("v", 4096), "simplyhuge=" + text("z", 3998),
        ]
        let server = try LoopbackServer { _ in
            [.answer("200 OK", lines.map { "Set-Cookie: " + $0 })]
        }
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        _ = try await session.data(from: server.url())
        let names = session.configuration.httpCookieStorage?.cookies?.map { $0.name.prefix(6) }
        #expect(Set(names ?? []) == ["foobar", "AAAAAA", "FFFFFF", "simply"])
    }

    /// 444: as many as there are; 427, 442 and 443 cut them to 8 KiB, ours to 256.
    @Test func manyCookiesAllGoAlong() async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", (1...80).map { "Set-Cookie: cookie-\($0)=yes;" })]
        }
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        _ = try await session.data(from: server.url())
        _ = try await session.data(from: server.url())
        #expect(
            server.requests.last?["Cookie"]
                == (1...80).map { "cookie-\($0)=yes" }.joined(separator: "; "))
    }
}
