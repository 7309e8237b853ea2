import Foundation
import Testing

@testable import CurlNetworking

private let start = Date(timeIntervalSince1970: 1_800_000_000)

private func makeRequest(
    _ fields: [String: String] = [:], method: String = "GET"
) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "http://a.test/x")))
    request.httpMethod = method
    request.allHTTPHeaderFields = fields
    return request
}

private func makeStored(_ fields: [String: String], status: Int = 200) throws -> StoredHead {
    StoredHead(
        url: try #require(URL(string: "http://a.test/x")), status: status,
        headers: HTTPHeaderFields(fields), request: HTTPHeaderFields(), requestTime: start,
        responseTime: start)
}

@Suite struct CacheDecisionTests {
    /// What happens to a request `later` seconds after an answer with fields was stored.
    struct Case: Sendable, CustomTestStringConvertible {
        var stored: [String: String]
        var later: Double
        var request: [String: String]
        var method: String
        var decision: Kind

        enum Kind: String, Sendable {
            case use, revalidate, load, loadWithoutStoring, gatewayTimeout, fail
        }

        init(
            _ stored: String, etag: String? = nil, later: Double = 5, _ control: String? = nil,
            _ request: [String: String] = [:], method: String = "GET", gives decision: Kind
        ) {
            self.stored = ["Cache-Control": stored, "ETag": etag ?? ""]
            self.later = later
            self.request = request
            self.request["Cache-Control"] = control
            self.method = method
            self.decision = decision
        }

        var testDescription: String { "\(stored) +\(later) \(request) \(method) → \(decision)" }
    }

    @Test(
        arguments: [
            Case("max-age=10", gives: .use), Case("max-age=10", method: "HEAD", gives: .use),
            Case("max-age=10", method: "POST", gives: .load), Case("max-age=5", gives: .load),
            Case("max-age=5", etag: "\"1\"", gives: .revalidate),
            Case("max-age=0", etag: "\"1\"", gives: .revalidate),
            // The answer's directives
            Case("max-age=10, no-cache", etag: "\"1\"", gives: .revalidate),
            Case("max-age=10, no-cache=\"set-cookie\"", gives: .use),
            Case("max-age=10, private", gives: .use),
            Case("max-age=10, must-revalidate", gives: .use),
            Case("s-maxage=1, max-age=10", gives: .use),
            Case("max-age=10, stale-while-revalidate=60", later: 11, gives: .load),
            // The request's
            Case("max-age=10", "no-cache", gives: .load),
            Case("max-age=10", etag: "\"1\"", "no-cache", gives: .revalidate),
            Case("max-age=10", nil, ["Pragma": "no-cache"], gives: .load),
            Case("max-age=10", "foo", ["Pragma": "no-cache"], gives: .use),
            Case("max-age=10", "no-store", gives: .loadWithoutStoring),
            Case("max-age=10", "max-age=4", gives: .load),
            Case("max-age=10", "max-age=0", gives: .load),
            Case("max-age=10", "max-age=5", gives: .use),
            Case("max-age=10", "min-fresh=5", gives: .use),
            Case("max-age=10", "min-fresh=6", gives: .load),
            Case("max-age=10", later: 20, "max-stale=10", gives: .use),
            Case("max-age=10", later: 21, "max-stale=10", gives: .load),
            Case("max-age=10", later: 1e6, "max-stale", gives: .use),
            Case("max-age=10, must-revalidate", later: 20, "max-stale", gives: .load),
            Case("max-age=10, no-cache", later: 5, "max-stale", gives: .load),
            Case("max-age=10, immutable", etag: "\"1\"", "max-age=0", gives: .use),
            Case(
                "max-age=10, immutable", etag: "\"1\"", later: 11, "max-age=0", gives: .revalidate),
            Case("max-age=10, immutable", etag: "\"1\"", "no-cache", gives: .revalidate),
            Case("max-age=10", "only-if-cached", gives: .use),
            Case("max-age=10", later: 11, "only-if-cached", gives: .gatewayTimeout),
            Case("max-age=10", later: 11, "only-if-cached, max-stale", gives: .use),
            // Requests that compare versions, or want a part
            Case("max-age=10", nil, ["Range": "bytes=0-1"], gives: .load),
            Case("max-age=10", nil, ["If-None-Match": "\"1\""], gives: .load),
            Case("max-age=10", nil, ["If-Modified-Since": "x"], gives: .load),
        ])
    func followsTheProtocol(_ test: Case) throws {
        let decision = CacheDecision.make(
            for: try makeRequest(test.request, method: test.method),
            policy: .useProtocolCachePolicy,
            stored: try makeStored(test.stored), now: start + test.later)
        #expect(decision.kind == test.decision)
    }

    @Test func withNothingStoredItLoads() throws {
        let make = { (policy: URLRequest.CachePolicy, control: String) in
            CacheDecision.make(
                for: try makeRequest(["Cache-Control": control]), policy: policy, stored: nil,
                now: start
            ).kind
        }
        #expect(try make(.useProtocolCachePolicy, "x") == .load)
        #expect(try make(.useProtocolCachePolicy, "only-if-cached") == .gatewayTimeout)
        #expect(try make(.returnCacheDataElseLoad, "x") == .load)
        #expect(try make(.returnCacheDataDontLoad, "x") == .fail)
        #expect(try make(.reloadRevalidatingCacheData, "x") == .load)
    }

    @Test func obeysApplesPolicies() throws {
        let stale = try makeStored(["Cache-Control": "max-age=0", "ETag": "\"1\""])
        let make = { (policy: URLRequest.CachePolicy, stored: StoredHead) in
            CacheDecision.make(
                for: try makeRequest(), policy: policy, stored: stored, now: start + 9)
        }
        #expect(
            try make(.reloadIgnoringLocalCacheData, stale)
                == .load(HTTPHeaderFields(), stores: true))
        #expect(
            try make(.reloadIgnoringLocalAndRemoteCacheData, stale)
                == .load(
                    HTTPHeaderFields(["Cache-Control": "no-cache", "Pragma": "no-cache"]),
                    stores: true))
        #expect(try make(.returnCacheDataElseLoad, stale) == .use)
        #expect(try make(.returnCacheDataDontLoad, stale) == .use)
        let fresh = try makeStored(["Cache-Control": "max-age=99", "ETag": "\"1\""])
        #expect(try make(.useProtocolCachePolicy, fresh) == .use)
        guard case .revalidate(let fields) = try make(.reloadRevalidatingCacheData, fresh) else {
            Issue.record("does not ask")
            return
        }
        #expect(fields.dictionary == ["If-None-Match": "\"1\"", "Cache-Control": "max-age=0"])
        let forever = try makeStored(["Cache-Control": "max-age=99, immutable", "ETag": "\"1\""])
        #expect(try make(.reloadRevalidatingCacheData, forever) == .use)
    }

    @Test func asksWithEveryValidatorThereIs() throws {
        let stored = try makeStored(["ETag": "W/\"1\"", "Last-Modified": FreshnessTests.date(-100)])
        let decision = CacheDecision.make(
            for: try makeRequest(), policy: .reloadRevalidatingCacheData, stored: stored, now: start
        )
        guard case .revalidate(let fields) = decision else {
            Issue.record("does not ask")
            return
        }
        #expect(fields["If-None-Match"] == "W/\"1\"")
        #expect(fields["If-Modified-Since"] == FreshnessTests.date(-100))
    }
}

extension CacheDecision {
    fileprivate var kind: CacheDecisionTests.Case.Kind {
        switch self {
        case .use: .use
        case .revalidate: .revalidate
        case .load(_, stores: true): .load
        case .load(_, stores: false): .loadWithoutStoring
        case .fail: .fail
        case .gatewayTimeout: .gatewayTimeout
        }
    }
}

@Suite struct CacheReactionTests {
    private func react(
        _ status: Int, _ fields: [String: String], to request: URLRequest? = nil,
        stored: StoredHead? = nil, isRevalidation: Bool = false, later: Double = 0
    ) throws -> CacheReaction {
        CacheReaction.to(
            ResponseHead(status: status, headers: HTTPHeaderFields(fields)),
            for: try request ?? makeRequest(), stores: true, stored: stored,
            isRevalidation: isRevalidation, requestTime: start + later, responseTime: start + later)
    }

    @Test(
        arguments: [
            (200, ["Cache-Control": "max-age=9"], true), (200, [:], false),
            (200, ["ETag": "\"1\""], true), (200, ["Cache-Control": "no-store, max-age=9"], false),
            (200, ["Cache-Control": "no-cache", "ETag": "\"1\""], true),
            (200, ["Cache-Control": "private, max-age=9", "Set-Cookie": "a=b"], true),
            (200, ["Cache-Control": "max-age=9", "Vary": "*"], false),
            (200, ["Cache-Control": "max-age=9, no-store, must-understand"], true),
            (599, ["Cache-Control": "max-age=9, no-store, must-understand"], false),
            (599, ["Cache-Control": "max-age=9"], true),
            (302, ["Cache-Control": "max-age=9"], true),
            (302, ["ETag": "\"1\""], false), (404, ["Cache-Control": "max-age=9"], true),
            (206, ["Cache-Control": "max-age=9"], false),
            (304, ["Cache-Control": "max-age=9"], false),
            (401, ["Cache-Control": "max-age=9"], false),
            (503, ["Cache-Control": "max-age=9"], true),
        ] as [(Int, [String: String], Bool)])
    func storesWhatMayBeOfUse(status: Int, fields: [String: String], stores: Bool) throws {
        let reaction = try react(status, fields)
        if case .serverAndStore = reaction.answer { #expect(stores) } else { #expect(!stores) }
    }

    @Test func storesOnlyAnswersToWholePlainGets() throws {
        let fields = ["Cache-Control": "max-age=9"]
        let requests = [
            try makeRequest(["Range": "bytes=0-"]), try makeRequest(method: "HEAD"),
            try makeRequest(method: "POST"), try makeRequest(["Cache-Control": "no-store"]),
        ]
        for request in requests { #expect(try react(200, fields, to: request).answer == .server) }
    }

    @Test func leavesOutWhatBelongsToTheConnection() throws {
        let reaction = try react(
            200,
            [
                "Cache-Control": "max-age=9", "Connection": "keep-alive, X-Hop", "X-Hop": "1",
                "Keep-Alive": "x", "Transfer-Encoding": "chunked", "Upgrade": "h2c", "X": "2",
                "Proxy-Authenticate": "x", "TE": "x", "Set-Cookie": "a=b",
            ])
        guard case .serverAndStore(let head) = reaction.answer else {
            Issue.record("not stored")
            return
        }
        #expect(Set(head.headers.dictionary.keys) == ["Cache-Control", "X", "Set-Cookie"])
    }

    @Test func a304FreshensWhatIsStored() throws {
        let stored = try makeStored([
            "Cache-Control": "max-age=1", "ETag": "\"1\"", "Content-Length": "10", "X": "old",
            "Y": "stays",
            "Age": "7", "Date": FreshnessTests.date(-100), "Content-Encoding": "gzip",
        ])
        let reaction = try react(
            304,
            [
                "Cache-Control": "max-age=50", "ETag": "\"1\"", "Content-Length": "0", "X": "new",
                "Connection": "close", "Content-Encoding": "br",
            ], stored: stored, isRevalidation: true, later: 60)
        guard case .stored(let head) = reaction.answer else {
            Issue.record("not answered from the cache")
            return
        }
        #expect(reaction.update == head)
        #expect(
            head.headers.dictionary == [
                "Cache-Control": "max-age=50", "ETag": "\"1\"", "Content-Length": "10", "X": "new",
                "Y": "stays", "Content-Encoding": "gzip",
            ])
        #expect(head.isFresh(at: start + 100))
        #expect(!head.isFresh(at: start + 111))
    }

    @Test func a304ForAnotherVersionUpdatesNothing() throws {
        let stored = try makeStored(["ETag": "\"1\"", "Cache-Control": "max-age=1"])
        let fields = ["ETag": "\"2\"", "Cache-Control": "max-age=50"]
        let reaction = try react(304, fields, stored: stored, isRevalidation: true)
        #expect(reaction == CacheReaction(answer: .stored(stored)))
    }

    @Test func a304TheCallerAskedForIsTheCallers() throws {
        let request = try makeRequest(["If-None-Match": "\"1\""])
        #expect(try react(304, ["ETag": "\"1\""], to: request).answer == .server)
    }

    @Test(
        arguments: [
            (503, "max-age=1, stale-if-error=60", nil, 10, true),
            (503, "max-age=1, stale-if-error=60", nil, 62, false),
            (501, "max-age=1, stale-if-error=60", nil, 10, false),
            (503, "max-age=1", nil, 10, false),
            (503, "max-age=1", "stale-if-error=60", 10, true),
            (503, "max-age=1, stale-if-error=60, must-revalidate", nil, 10, false),
            (503, "max-age=1, stale-if-error=60, no-cache", nil, 10, false),
            (nil, "max-age=1, stale-if-error=60", nil, 10, true),
            (nil, "max-age=1", nil, 10, false),
        ] as [(Int?, String, String?, Double, Bool)])
    func aStoredAnswerStandsInOnlyWhereItMay(
        status: Int?, stored: String, control: String?, later: Double, standsIn: Bool
    ) throws {
        let head = try makeStored(["Cache-Control": stored])
        let request = try makeRequest(control.map { ["Cache-Control": $0] } ?? [:])
        #expect(
            CacheReaction.mayServeStale(head, for: status, request: request, now: start + later)
                == standsIn)
        guard let status else { return }
        let reaction = try react(status, [:], to: request, stored: head, later: later)
        #expect((reaction.answer == .stored(head)) == standsIn)
        if standsIn { #expect(reaction.removals.isEmpty) }
    }

    /// RFC 9111 §5.2.1.4: it wants a confirmed one.
    @Test(
        arguments: [
            (.useProtocolCachePolicy, ["Cache-Control": "no-cache"], false),
            (.useProtocolCachePolicy, ["Cache-Control": "no-cache, stale-if-error=60"], false),
            (.useProtocolCachePolicy, ["Pragma": "no-cache"], false),
            (.useProtocolCachePolicy, ["Cache-Control": "max-age=0"], true),
            (.reloadRevalidatingCacheData, [:], false),
        ] as [(URLRequest.CachePolicy, [String: String], Bool)])
    func noStaleAnswerStandsInForARequestThatAsksAgain(
        policy: URLRequest.CachePolicy, fields: [String: String], standsIn: Bool
    ) throws {
        let head = try makeStored([
            "Cache-Control": "max-age=1, stale-if-error=60", "ETag": "\"1\"",
        ])
        let request = try makeRequest(fields)
        for status in [503, nil] {
            #expect(
                CacheReaction.mayServeStale(
                    head, for: status, request: request, policy: policy, now: start + 10)
                    == standsIn)
        }
        let plan = CachePlan(
            request: request,
            decision: CacheDecision.make(
                for: request, policy: policy, stored: head, now: start + 10),
            entry: CacheEntry(head: head, body: .data(Data())), policy: policy)
        #expect((plan.fallbackResponse(at: start + 10) != nil) == standsIn)
        let reaction = plan.react(
            to: ResponseHead(status: 503), requestTime: start + 10, responseTime: start + 10)
        #expect((reaction.answer == .stored(head)) == standsIn)
    }

    /// A 304 for the same account may say less of itself than the response did.
    @Test func a304KeepsTheVariant() throws {
        let url = try #require(URL(string: "http://a.test/x"))
        let stored = StoredHead(
            url: url, status: 200,
            headers: HTTPHeaderFields(["Cache-Control": "private, max-age=1", "ETag": "\"1\""]),
            request: HTTPHeaderFields(), account: "ada", requestTime: start, responseTime: start)
        let reaction = try react(
            304, ["Cache-Control": "public, max-age=9"], stored: stored, isRevalidation: true)
        #expect(reaction.update?.variant == stored.variant)
        #expect(stored.variant.account == "ada")
    }

    @Test func whatMayNotBeKeptStillReplacesTheOld() throws {
        let stored = try makeStored(["Cache-Control": "max-age=99"])
        let url = try #require(URL(string: "http://a.test/x"))
        #expect(try react(200, ["Cache-Control": "no-store"], stored: stored).removals == [url])
        #expect(try react(404, [:], stored: stored).removals == [url])
        #expect(try react(500, [:], stored: stored).removals == [])
    }

    @Test(
        arguments: [
            ("POST", 200, true), ("PUT", 204, true), ("DELETE", 303, true), ("M-SEARCH", 200, true),
            ("POST", 404, false), ("PUT", 500, false), ("OPTIONS", 200, false),
            ("TRACE", 200, false),
        ])
    func unsafeMethodsInvalidate(method: String, status: Int, invalidates: Bool) throws {
        let reaction = try react(
            status,
            [
                "Location": "/new", "Content-Location": "http://b.test/foreign",
                "Cache-Control": "max-age=9",
            ],
            to: try makeRequest(method: method))
        #expect(reaction.answer == .server)
        #expect(
            reaction.removals.map(\.absoluteString)
                == (invalidates ? ["http://a.test/x", "http://a.test/new"] : []))
    }

    /// As it is found in the cache: what is escaped stays as it is, whatever is not beside it.
    @Test func anInvalidatedURLIsEscapedOnce() throws {
        let reaction = try react(201, ["Location": "/a%20b é"], to: try makeRequest(method: "POST"))
        #expect(reaction.removals.last?.absoluteString == "http://a.test/a%20b%20%C3%A9")
    }

    @Test func aHeadFreshensOrInvalidates() throws {
        let stored = try makeStored(["Cache-Control": "max-age=1", "ETag": "\"1\"", "X": "old"])
        let request = try makeRequest(method: "HEAD")
        let same = try react(
            200, ["Cache-Control": "max-age=9", "ETag": "\"1\"", "X": "new"], to: request,
            stored: stored)
        #expect(same.answer == .server)
        #expect(same.update?.headers["X"] == "new")
        let other = try react(200, ["ETag": "\"2\""], to: request, stored: stored)
        #expect(other.update == nil)
        #expect(other.removals.map(\.absoluteString) == ["http://a.test/x"])
    }

    @Test func anAnswerFromTheCacheTellsItsAge() throws {
        let stored = try makeStored([
            "Cache-Control": "max-age=99, no-cache=\"set-cookie\"", "Set-Cookie": "a=b",
            "Age": "30",
        ])
        let fields = stored.fieldsForReuse(isConfirmed: false, at: start + 5.9)
        #expect(fields["Age"] == "35")
        #expect(fields["Set-Cookie"] == nil)
        #expect(stored.fieldsForReuse(isConfirmed: true, at: start)["Set-Cookie"] == "a=b")
    }
}
