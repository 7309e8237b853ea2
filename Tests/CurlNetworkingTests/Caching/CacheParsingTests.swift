import Foundation
import Testing

@testable import CurlNetworking

@Suite struct HTTPDateTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)  // January 2027

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("SUN, 06 nov 1994 08:49:37 gmt", "1994-11-06T08:49:37Z"),
            ("Mon, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
            ("Thursday, 18-Aug-50 02:01:18 GMT", "2050-08-18T02:01:18Z"),
            ("Thursday, 18-Aug-78 02:01:18 GMT", "1978-08-18T02:01:18Z"),
            ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
            ("Sun Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"),
            ("Fri, 01 Jan 2038 01:01:01 GMT", "2038-01-01T01:01:01Z"),
            ("Sat, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z"),
        ])
    func readsTheThreeForms(text: String, expected: String) throws {
        #expect(HTTPDate.parse(text, now: now) == (try Date(expected, strategy: .iso8601)))
    }

    @Test(
        arguments: [
            "", "0", "-1", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 AEST",
            "Sun, 06 Nov 94 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT",
            "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
            "Non, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nix 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sunday, 6-Nov-94 08:49:37 GMT", "+un, 06 Nov 1994 08:49:37 GMT",
        ])
    func takesNothingElse(text: String) {
        #expect(HTTPDate.parse(text, now: now) == nil)
    }
}

@Suite struct CacheControlTests {
    @Test(
        arguments: [
            ("max-age=3600", 3600), ("MAX-AGE=3600", 3600), ("max-age=\"3600\"", 3600),
            ("max-age=003600", 3600), ("a, max-age = 3600 ,b", 3600), ("max-age=-1", 0),
            ("max-age=3600.5", 0), ("max-age=x", 0), ("max-age", 0), ("max-age='3600'", 0),
            ("max-age=99999999999999999999", 2_147_483_648), ("max-age=1, max-age=9", 1),
            ("max-age=x, max-age=9", 0), ("ext=\"max-age=3600\", max-age=1", 1),
            ("ext=\"\\\"max-age=3600\", max-age=1", 1), ("ext=\"a, max-age=9\"", nil),
            ("s-maxage=9, private", nil), ("", nil),
        ] as [(String, Double?)])
    func readsSeconds(field: String, seconds: Double?) {
        #expect(CacheControl(field).seconds("max-age") == seconds)
    }

    @Test func tellsListedFieldsFromTheWholeMessage() {
        let listed = CacheControl("no-cache=\"Set-Cookie, X\", private")
        #expect(!listed.hasUnqualified("no-cache") && listed.has("no-cache"))
        #expect(listed.fields(of: "no-cache") == ["Set-Cookie", "X"])
        #expect(CacheControl("No-Cache").hasUnqualified("no-cache"))
        #expect(CacheControl("max-stale").secondsOrAny("max-stale") == .infinity)
    }
}

@Suite struct FreshnessTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static func date(_ offset: Double) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: now + offset)
    }

    private func makeHead(
        _ fields: [String: String], status: Int = 200, delay: Double = 0
    ) throws -> StoredHead {
        StoredHead(
            url: try #require(URL(string: "http://a.test/")), status: status,
            headers: HTTPHeaderFields(fields), request: HTTPHeaderFields(),
            requestTime: Self.now - delay, responseTime: Self.now)
    }

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 60),
            (["Cache-Control": "max-age=60", "Expires": date(10), "Date": date(0)], 60),
            (["Expires": date(10), "Date": date(0)], 10), (["Expires": date(10)], 10),
            (["Expires": date(-10), "Date": date(0)], 0), (["Expires": "0"], 0),
            (["Expires": "0", "Last-Modified": date(-1000), "Date": date(0)], 0),
            (["Last-Modified": date(-1000), "Date": date(0)], 100),
            (["Last-Modified": date(-1e9), "Date": date(0)], 604_800),
            (["Last-Modified": date(1000), "Date": date(0)], 0), ([:], 0),
            (["Cache-Control": "s-maxage=60"], 0),
            (["Cache-Control": "max-age=nonsense", "Expires": date(10)], 0),
        ] as [([String: String], Double)])
    func computesTheLifetime(fields: [String: String], seconds: Double) throws {
        #expect(try makeHead(fields).lifetime == seconds)
    }

    @Test func guessesOnlyWhereTheStatusAllowsIt() throws {
        let fields = ["Last-Modified": Self.date(-1000), "Date": Self.date(0)]
        for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
            #expect(try makeHead(fields, status: status).lifetime == 100)
        }
        for status in [201, 202, 302, 303, 307, 403, 500, 502, 503, 504, 599] {
            #expect(try makeHead(fields, status: status).lifetime == 0)
        }
        let open = fields.merging(["Cache-Control": "public"]) { $1 }
        #expect(try makeHead(open, status: 599).lifetime == 100)
    }

    @Test(
        arguments: [
            (["Date": date(0)], 0, 0, 0), (["Date": date(0)], 0, 5, 5),
            (["Date": date(-7)], 0, 5, 12),
            (["Date": date(0), "Age": "30"], 2, 5, 37),
            (["Date": date(-40), "Age": "30"], 2, 5, 45),
            (["Age": "30, 0"], 0, 0, 30), (["Age": "old, 30"], 0, 0, 0), (["Age": "-3"], 0, 0, 0),
            (["Age": "3.5"], 0, 0, 0), (["Age": "99999999999"], 0, 0, 2_147_483_648),
            (["Date": date(50)], 0, 1, 1), ([:], 0, 9, 9), ([:], 0, -30, 0),
            ([:], 0, -61, .infinity),
        ] as [([String: String], Double, Double, Double)])
    func computesTheAge(
        fields: [String: String], delay: Double, later: Double, seconds: Double
    ) throws {
        #expect(try makeHead(fields, delay: delay).age(at: Self.now + later) == seconds)
    }
}

@Suite struct VariantTests {
    @Test(
        arguments: [
            (nil, ["A": "1"], ["A": "2"], true), ("A", ["A": "1"], ["a": "1"], true),
            ("a", ["A": "1"], ["A": "2"], false), ("A", ["A": "1"], [:], false),
            ("A", [:], [:], true),
            ("A, B", ["A": "1", "B": "2"], ["B": "2", "A": "1"], true),
            ("A", ["A": "x,y"], ["A": "x , y"], true), ("*", [:], [:], false),
            (", *", [:], [:], false),
            ("A, *", ["A": "1"], ["A": "1"], false), ("", ["A": "1"], [:], true),
        ] as [(String?, [String: String], [String: String], Bool)])
    func matchesByTheFieldsVaryNames(
        vary: String?, first: [String: String], second: [String: String], matches: Bool
    ) {
        let variant = StoredHead.Variant(vary: vary, request: HTTPHeaderFields(first))
        #expect(variant.matches(HTTPHeaderFields(second)) == matches)
    }

    private func makeHead(
        _ control: String, vary: String? = nil, authorization: String? = nil,
        account: String? = nil
    ) throws -> StoredHead {
        var headers = HTTPHeaderFields(["Cache-Control": control])
        headers["Vary"] = vary
        var request = HTTPHeaderFields()
        request["Authorization"] = authorization
        return StoredHead(
            url: try #require(URL(string: "http://a.test/")), status: 200, headers: headers,
            request: request, account: account, requestTime: .now, responseTime: .now)
    }

    private func isFound(
        _ head: StoredHead, authorization: String? = nil, account: String? = nil
    ) -> Bool {
        var request = HTTPHeaderFields()
        request["Authorization"] = authorization
        return CacheQuery(request: request, requester: CacheRequester(account: account))
            .matches(head)
    }

    @Test func aResponseIsForWhoHasAskedUnlessItIsPublic() throws {
        let own = try makeHead("private, max-age=9", authorization: "Basic YTpi")
        #expect(isFound(own, authorization: "Basic YTpi"))
        #expect(!isFound(own, authorization: "Basic YTpj"))
        #expect(!isFound(own))
        #expect(!isFound(own, account: "ada"))
        let added = try makeHead("max-age=9", account: "ada")
        #expect(isFound(added, account: "ada"))
        #expect(!isFound(added, account: "bob"))
        #expect(!isFound(added))
        #expect(!isFound(added, authorization: "Basic YTpi"))
        let nobodys = try makeHead("max-age=9")
        #expect(isFound(nobodys))
        #expect(isFound(nobodys, authorization: ""))
        #expect(!isFound(nobodys, account: "ada"))
        let open = try makeHead("public, max-age=9", account: "ada")
        #expect(isFound(open) && isFound(open, account: "bob"))
        let listed = try makeHead("public, max-age=9", vary: "Authorization", account: "ada")
        #expect(isFound(listed, account: "ada"))
        #expect(!isFound(listed) && !isFound(listed, account: "bob"))
    }

    @Test(arguments: [nil, "Authorization"])
    func secretsAreNotStored(vary: String?) throws {
        let head = try makeHead("max-age=9", vary: vary, authorization: "Basic YTpi")
        #expect(head.variant.fields.map(\.name) == ["authorization"])
        #expect(head.variant.account?.utf8.count == 64)
        #expect(!String(decoding: head.encoded, as: UTF8.self).contains("YTpi"))
    }

    @Test func theProgramFindsAnybodysResponse() throws {
        let added = try makeHead("max-age=9", account: "ada")
        #expect(CacheQuery(request: HTTPHeaderFields()).matches(added))
        let other = HTTPHeaderFields(["Authorization": "Basic YTpi"])
        #expect(!CacheQuery(request: other).matches(added))
    }

    @Test func anAccountIsTheSameForBasicAndDigest() {
        func makeAccount(
            _ user: String = "ada", _ password: String = "pw", realm: String = "r",
            method: String = NSURLAuthenticationMethodHTTPBasic, port: Int = 80
        ) -> String {
            CacheAccount.credential(
                URLCredential(user: user, password: password, persistence: .forSession),
                in: URLProtectionSpace(
                    host: "a.test", port: port, protocol: NSURLProtectionSpaceHTTP, realm: realm,
                    authenticationMethod: method))
        }
        #expect(makeAccount() == makeAccount(method: NSURLAuthenticationMethodHTTPDigest))
        let others = [
            makeAccount("bob"), makeAccount("ada", "other"), makeAccount(realm: "s"),
            makeAccount(port: 81), makeAccount("adap", "w"),
        ]
        #expect(Set(others + [makeAccount()]).count == 6)
    }
}

@Suite struct CacheFileFormatTests {
    private func makeHead() throws -> StoredHead {
        var request = HTTPHeaderFields()
        request["Accept"] = "text/plain"
        return StoredHead(
            url: try #require(URL(string: "http://a.test/x?y=ü")), status: 404,
            headers: HTTPHeaderFields(["Vary": "Accept, Nothing", "ETag": "\"1\"", "X": ""]),
            request: request, requestTime: Date(timeIntervalSince1970: 1.5),
            responseTime: Date(timeIntervalSince1970: 2.25))
    }

    @Test func aHeadComesBackAsItWas() throws {
        let head = try makeHead()
        #expect(StoredHead(encoded: head.encoded[...]) == head)
    }

    @Test func aHeadThatIsCutOffOrTooLongIsNone() throws {
        let bytes = try makeHead().encoded
        for count in bytes.indices { #expect(StoredHead(encoded: bytes[..<count]) == nil) }
        #expect(StoredHead(encoded: (bytes + [0])[...]) == nil)
    }

    @Test func noFlippedBitInAPreambleGoesUnseen() {
        let preamble = CacheFilePreamble(
            headByteCount: 100, bodyByteCount: 2000, headSum: 3, bodySum: 4)
        let bytes = preamble.encoded
        #expect(bytes.count == CacheFilePreamble.byteCount)
        #expect(CacheFilePreamble(bytes[...]) == preamble)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(CacheFilePreamble(damaged[...]) == nil)
        }
    }

    @Test func aChecksumDoesNotDependOnThePieces() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for size in [1, 3, 8, 13, 999] {
            var sum = Checksum()
            for start in stride(from: 0, to: bytes.count, by: size) {
                Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { sum.add($0) }
            }
            #expect(sum.value == Checksum.of(bytes))
        }
        #expect(Checksum.of([0]) != Checksum.of([0, 0]))
        #expect(Checksum.of([UInt8]()) != Checksum.of([0]))
    }
}
