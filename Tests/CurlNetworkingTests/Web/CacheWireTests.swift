import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CacheWireTests {
    /// Answers each request of a target with the next of its answers, the last one again and again.
    private func makeServer(
        _ answers: [(status: String, fields: [String], body: String)]
    ) throws -> LoopbackServer {
        let count = Mutex(0)
        return try LoopbackServer { _ in
            let index = count.withLock { count in
                defer { count += 1 }
                return min(count, answers.count - 1)
            }
            return [
                .answer(answers[index].status, answers[index].fields, body: answers[index].body)
            ]
        }
    }

    private func text(_ session: URLSession, _ request: URLRequest) async throws -> String {
        String(decoding: try await session.data(for: request).0, as: UTF8.self)
    }

    private let fresh = ["Cache-Control: max-age=1000"]

    @Test func whatIsFreshIsGivenWithoutAServerWithItsAge() async throws {
        let server = try makeServer([("200 OK", fresh, "one"), ("200 OK", [], "two")])
        let session = makeSession()
        let (one, _) = try await session.data(from: server.url())
        let (two, response) = try await session.data(from: server.url("/#part"))
        #expect(one == two)
        #expect(server.requests.count == 1)
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.value(forHTTPHeaderField: "Age") != nil)
        #expect(http.url == server.url("/#part"))
    }

    @Test func aConfirmedAnswerIsGivenWithTheStoredBodyAndTheNewFields() async throws {
        let server = try makeServer([
            ("200 OK", ["Cache-Control: max-age=0", "ETag: \"1\"", "X: old"], "body"),
            ("304 Not Modified", ["Cache-Control: max-age=1000", "ETag: \"1\"", "X: new"], ""),
        ])
        let session = makeSession()
        let request = URLRequest(url: server.url())
        for _ in 0..<3 { #expect(try await text(session, request) == "body") }
        #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"1\""])
        let (_, response) = try await session.data(for: request)
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X") == "new")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func aNewVersionReplacesTheOldOne() async throws {
        let server = try makeServer([
            ("200 OK", ["Cache-Control: max-age=0", "ETag: \"1\""], "one"),
            ("200 OK", ["Cache-Control: max-age=1000", "ETag: \"2\""], "two"),
        ])
        let session = makeSession()
        let request = URLRequest(url: server.url())
        #expect(try await text(session, request) == "one")
        #expect(try await text(session, request) == "two")
        #expect(try await text(session, request) == "two")
        #expect(server.requests.count == 2)
    }

    @Test func eachOfApplesPoliciesIsFollowed() async throws {
        let server = try makeServer([("200 OK", fresh, "one"), ("200 OK", fresh, "two")])
        let session = makeSession()
        func load(_ policy: URLRequest.CachePolicy) async throws -> String {
            try await text(session, URLRequest(url: server.url(), cachePolicy: policy))
        }
        #expect(
            await errorCode { try await load(.returnCacheDataDontLoad) } == .resourceUnavailable)
        #expect(server.requests.isEmpty)
        #expect(try await load(.returnCacheDataElseLoad) == "one")
        #expect(try await load(.returnCacheDataDontLoad) == "one")
        #expect(try await load(.useProtocolCachePolicy) == "one")
        #expect(server.requests.count == 1)
        #expect(try await load(.reloadIgnoringLocalCacheData) == "two")
        #expect(try await load(.useProtocolCachePolicy) == "two")
        _ = try await load(.reloadIgnoringLocalAndRemoteCacheData)
        #expect(server.requests.count == 3)
        #expect(server.requests.last?["Cache-Control"] == "no-cache")
    }

    @Test func withoutACacheNothingIsLoadedThatMustComeFromOne() async throws {
        let server = try makeServer([("200 OK", fresh, "one")])
        let session = makeSession { $0.urlCache = nil }
        let request = URLRequest(url: server.url(), cachePolicy: .returnCacheDataDontLoad)
        #expect(
            await errorCode { try await session.data(for: request) } == .resourceUnavailable)
        #expect(server.requests.isEmpty)
    }

    /// The credentials that a session adds on its own tell responses apart, too.
    @Test func aResponseThatDependsOnWhoAsksIsNotForOthers() async throws {
        let server = try LoopbackServer { request in
            request["Authorization"].map {
                [
                    .answer(
                        "200 OK", ["Cache-Control: max-age=1000", "Vary: Authorization"], body: $0)
                ]
            } ?? [.answer("401 X", ["WWW-Authenticate: Basic realm=\"r\""], body: "no")]
        }
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        var bodies: Set<Data> = []
        for user in ["ada", "bob"] {
            let delegate = TaskChallengeDelegate(ChallengeBook(user: user, password: "pw"))
            let session = makeSession(delegate) { $0.urlCache = cache }
            bodies.insert(try await session.data(from: server.url()).0)
            session.invalidateAndCancel()
        }
        #expect(bodies.count == 2)
    }

    /// Says who has asked, without `Vary`.
    private func makeOpenServer(_ control: String) throws -> LoopbackServer {
        try LoopbackServer { request in
            [
                .answer(
                    "200 OK", ["Cache-Control: \(control)"],
                    body: request["Authorization"] ?? "nobody")
            ]
        }
    }

    @Test(arguments: [false, true])
    func aResponseIsForTheAuthorizationThatWasSent(isAdded: Bool) async throws {
        let server = try makeOpenServer("private, max-age=600")
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        func load(_ authorization: String?) async throws -> String {
            let session = makeSession { configuration in
                configuration.urlCache = cache
                guard isAdded, let authorization else { return }
                configuration.httpAdditionalHeaders = ["Authorization": authorization]
            }
            var request = URLRequest(url: server.url())
            if !isAdded { request.setValue(authorization, forHTTPHeaderField: "Authorization") }
            return try await text(session, request)
        }
        for _ in 0..<2 {
            #expect(try await load("Basic YTpi") == "Basic YTpi")
            #expect(try await load("Basic YTpj") == "Basic YTpj")
            #expect(try await load(nil) == "nobody")
        }
        #expect(server.requests.count == 3)
    }

    @Test func aPublicResponseIsForAnyone() async throws {
        let server = try makeOpenServer("public, max-age=600")
        let session = makeSession()
        var request = URLRequest(url: server.url())
        request.setValue("Basic YTpi", forHTTPHeaderField: "Authorization")
        #expect(try await text(session, request) == "Basic YTpi")
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        #expect(try await text(session, request) == "Basic YTpi")
        #expect(server.requests.count == 1)
    }

    /// Credentials that the session adds, after a challenge and before one.
    @Test func aResponseForTheAccountOfASessionIsForThatAccount() async throws {
        let server = try LoopbackServer { request in
            request["Authorization"].map {
                [.answer("200 OK", ["Cache-Control: private, max-age=600"], body: $0)]
            } ?? [.answer("401 X", ["WWW-Authenticate: Basic realm=\"r\""], body: "no")]
        }
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        func makeUser(_ user: String) -> URLSession {
            let delegate = TaskChallengeDelegate(ChallengeBook(user: user, password: "pw"))
            return makeSession(delegate) { $0.urlCache = cache }
        }
        let (ada, bob) = (makeUser("ada"), makeUser("bob"))
        let request = URLRequest(url: server.url())
        let first = try await text(ada, request)
        #expect(server.requests.count == 2)
        #expect(try await text(ada, request) == first)
        #expect(server.requests.count == 2)
        #expect(try await text(bob, request) != first)
        #expect(server.requests.count == 4)
        #expect(try await text(ada, request) == first)
        #expect(server.requests.count == 4)
        // A new session has to show that it knows the password.
        let again = makeUser("ada")
        #expect(try await text(again, request) == first)
        #expect(server.requests.count == 6)
        // The program inspects its own cache.
        let stored = await cache.cachedResponse(for: again.dataTask(with: request))
        #expect(stored?.data == Data(first.utf8))
        let stranger = makeSession { $0.urlCache = cache }
        let (_, response) = try await stranger.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(server.requests.count == 7)
    }

    @Test func aResponseThatAPostHasOvertakenIsNotStored() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { request in
            guard request.method == "GET" else { return [.answer()] }
            return [.wait(gate), .answer("200 OK", ["Cache-Control: max-age=600"], body: "x")]
        }
        let session = makeSession()
        var post = URLRequest(url: server.url())
        post.httpMethod = "POST"
        post.httpBody = Data("x".utf8)
        async let first = session.data(from: server.url())
        await server.request { $0.method == "GET" }
        _ = try await session.data(for: post)
        gate.open()
        _ = try await first
        _ = try await session.data(from: server.url())
        #expect(server.requests.map(\.method) == ["GET", "POST", "GET"])
    }

    @Test(arguments: [false, true])
    func aStaleAnswerDoesNotStandInForARequestThatAsksAgain(byPolicy: Bool) async throws {
        let fields = ["Cache-Control: max-age=0, stale-if-error=1000", "ETag: \"1\""]
        let server = try makeServer([("200 OK", fields, "old"), ("503 X", [], "broken")])
        let session = makeSession()
        var request = URLRequest(url: server.url())
        #expect(try await text(session, request) == "old")
        if byPolicy {
            request.cachePolicy = .reloadRevalidatingCacheData
        } else {
            request.setValue("no-cache", forHTTPHeaderField: "Cache-Control")
        }
        #expect(try await text(session, request) == "broken")
    }

    @Test func theRequestsPolicyWinsOverTheConfigurations() async throws {
        let server = try makeServer([("200 OK", fresh, "")])
        let session = makeSession { $0.requestCachePolicy = .reloadIgnoringLocalCacheData }
        var request = URLRequest(url: server.url())
        _ = try await session.data(for: request)
        _ = try await session.data(for: request)
        #expect(server.requests.count == 2)
        request.cachePolicy = .useProtocolCachePolicy
        _ = try await session.data(for: request)
        #expect(server.requests.count == 2)
    }

    @Test func withoutACacheEverythingComesFromTheServer() async throws {
        let server = try makeServer([("200 OK", fresh, "")])
        let session = makeSession { $0.urlCache = nil }
        for _ in 0..<2 { _ = try await session.data(from: server.url()) }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [0, 1, 2])
    func theDelegateIsAskedWhatToKeepInItsPlaceAmongTheCalls(way: Int) async throws {
        let server = try makeServer([("200 OK", fresh, "one"), ("200 OK", fresh, "two")])
        let delegate = CachingDelegate { proposal in
            switch way {
            case 0: proposal
            case 1: nil
            default: CachedURLResponse(response: proposal.response, data: Data("mine".utf8))
            }
        }
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        session.dataTask(with: server.url()).resume()
        await delegate.completion.wait(for: 1)
        #expect(delegate.calls.withLock { $0 } == ["response", "data one", "willCache one", "end"])
        session.dataTask(with: server.url()).resume()
        await delegate.completion.wait(for: 2)
        let second = delegate.calls.withLock { Array($0.dropFirst(4)) }
        switch way {
        case 0: #expect(second == ["response", "data one", "end"])
        case 1: #expect(second == ["response", "data two", "willCache two", "end"])
        default: #expect(second == ["response", "data mine", "end"])
        }
    }

    @Test(arguments: [nil, "max-age=1000", "no-store"])
    func aDelegateMayGiveAnAnswerTheLifetimeItsServerDidNot(control: String?) async throws {
        let server = try makeServer([("200 OK", [], "one"), ("200 OK", [], "two")])
        let delegate = CachingDelegate { proposal in
            guard let control, let url = proposal.response.url else { return proposal }
            return HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil,
                headerFields: ["Cache-Control": control]
            ).map { CachedURLResponse(response: $0, data: proposal.data) }
        }
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        for count in 1...2 {
            session.dataTask(with: server.url()).resume()
            await delegate.completion.wait(for: count)
        }
        let calls = delegate.calls.withLock { $0 }
        #expect(calls.prefix(4) == ["response", "data one", "willCache one", "end"])
        #expect(
            calls.dropFirst(4)
                == (control == "max-age=1000"
                    ? ["response", "data one", "end"]
                    : ["response", "data two", "willCache two", "end"]))
    }

    @Test func theDelegateIsNotAskedToKeepWhatMustNotBeKept() async throws {
        let answers = [
            ("200 OK", ["Cache-Control: no-store"], "one"), ("404 Not Found", [], "two"),
            ("200 OK", ["Vary: *"], "three"),
        ]
        let server = try makeServer(answers)
        let delegate = CachingDelegate { $0 }
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        for count in 1...answers.count {
            session.dataTask(with: server.url()).resume()
            await delegate.completion.wait(for: count)
        }
        #expect(!delegate.calls.withLock { $0 }.contains { $0.hasPrefix("willCache") })
    }

    @Test func aLargeAnswerComesFromTheDiskToMemoryToADelegateAndToAFile() async throws {
        let folder = try ScratchFolder()
        let body = makeBytes(3_000_000)
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Cache-Control: max-age=1000"], body: Array(body))]
        }
        let cache = URLCache(
            memoryCapacity: 100_000, diskCapacity: 100 << 20,
            directory: folder.url(of: "cache"))
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) { $0.urlCache = cache }
        #expect(try await session.data(from: server.url()).0 == body)
        #expect(try await session.data(from: server.url()).0 == body)
        session.dataTask(with: server.url()).resume()
        await delegate.completion()
        #expect(delegate.body == body)
        session.downloadTask(with: server.url()).resume()
        await delegate.completion(of: 2)
        #expect(delegate.snapshot.files == [body])
        #expect(server.requests.count == 1)
        // Another process finds it too.
        let other = URLCache(
            memoryCapacity: 0, diskCapacity: 100 << 20,
            directory: folder.url(of: "cache"))
        let again = makeSession { $0.urlCache = other }
        #expect(try await again.data(from: server.url()).0 == body)
        #expect(server.requests.count == 1)
    }

    @Test func aStoredAnswerWaitsForItsSuspendedTaskAndItsDelegate() async throws {
        let body = makeBytes(2_000_000)
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Cache-Control: max-age=1000"], body: Array(body))]
        }
        let cache = URLCache(memoryCapacity: 100 << 20, diskCapacity: 0, directory: nil)
        let suspended = Signal()
        let delegate = RecordingDelegate {
            $0.response = { task in
                task.suspend()
                suspended.add()
                return .allow
            }
        }
        let session = makeSession(delegate) { $0.urlCache = cache }
        _ = try await session.data(from: server.url())
        let task = session.dataTask(with: server.url())
        task.resume()
        await suspended.wait()
        await drain(session.delegateQueue)
        #expect(task.state == .suspended)
        #expect(delegate.body.isEmpty)
        task.resume()
        await delegate.completion()
        #expect(delegate.body == body)
        #expect(server.requests.count == 1)
    }

    @Test func aStoredRedirectIsFollowedWithoutAskingAgain() async throws {
        let server = try LoopbackServer { request in
            request.target == "/"
                ? [.answer("301 X", ["Location: /to", "Cache-Control: max-age=1000"], body: "no")]
                : [.answer("200 OK", [], body: "there")]
        }
        let session = makeSession()
        for _ in 0..<2 {
            #expect(try await text(session, URLRequest(url: server.url())) == "there")
        }
        #expect(server.requests.map(\.target) == ["/", "/to", "/to"])
    }

    @Test func aPostThatSucceedsInvalidatesWhatIsStoredForItsURL() async throws {
        let server = try makeServer([("200 OK", fresh, "")])
        let session = makeSession()
        var post = URLRequest(url: server.url())
        post.httpMethod = "POST"
        post.httpBody = Data("x".utf8)
        _ = try await session.data(from: server.url())
        _ = try await session.data(for: post)
        _ = try await session.data(from: server.url())
        #expect(server.requests.map(\.method) == ["GET", "POST", "GET"])
    }

    @Test func aStaleAnswerThatAllowsItStandsInForAServerThatFailsOrIsMissing() async throws {
        let fields = ["Cache-Control: max-age=0, stale-if-error=1000", "ETag: \"1\""]
        let server = try makeServer([("200 OK", fields, "old"), ("503 X", [], "broken")])
        let session = makeSession()
        let request = URLRequest(url: server.url())
        #expect(try await text(session, request) == "old")
        #expect(try await text(session, request) == "old")
        #expect(server.requests.count == 2)
        server.stop()
        #expect(try await text(session, request) == "old")
    }

    @Test func anAnswerThatWasCutOffIsNotKept() async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead,
                .send(
                    "HTTP/1.1 200 X\r\nCache-Control: max-age=99\r\nContent-Length: 9\r\n\r\nshort"),
                .close,
            ],
            [.readHead, .answer("200 OK", fresh, body: "whole")],
        ])
        let session = makeSession()
        let request = URLRequest(url: server.url())
        #expect(await errorCode { try await text(session, request) } == .networkConnectionLost)
        #expect(try await text(session, request) == "whole")
    }

    @Test func anAnswerThatWasCancelledMidwayIsNotKept() async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead,
                .send(
                    "HTTP/1.1 200 X\r\nCache-Control: max-age=99\r\nContent-Length: 9\r\n\r\nshort"),
                .stall,
            ],
            [.readHead, .answer("200 OK", fresh, body: "whole")],
        ])
        let session = makeSession()
        let (bytes, _) = try await session.bytes(from: server.url())
        #expect(try await bytes.first { _ in true } == UInt8(ascii: "s"))
        bytes.task.cancel()
        await server.end()
        #expect(try await text(session, URLRequest(url: server.url())) == "whole")
    }

    @Test func variantsAreDistinguishedByTheFieldsOfVaryCookiesAmongThem() async throws {
        let server = try LoopbackServer { request in
            [
                .answer(
                    "200 OK",
                    ["Cache-Control: max-age=1000", "Vary: Accept-Language, Cookie"],
                    body: (request["Accept-Language"] ?? "") + (request["Cookie"] ?? ""))
            ]
        }
        let storage = HTTPCookieStorage()
        let session = makeSession { $0.httpCookieStorage = storage }
        var request = URLRequest(url: server.url())
        for language in ["de", "en", "de", "en"] {
            request.setValue(language, forHTTPHeaderField: "Accept-Language")
            #expect(try await text(session, request) == language)
        }
        #expect(server.requests.count == 2)
        storage.setCookies(
            HTTPCookie.cookies(
                withResponseHeaderFields: ["Set-Cookie": "a=1"], for: server.url()),
            for: server.url(), mainDocumentURL: nil)
        #expect(try await text(session, request) == "ena=1")
    }

    @Test func tasksFindStoreAndRemoveWhatIsCachedForThem() async throws {
        let server = try makeServer([("200 OK", fresh, "body")])
        let session = makeSession()
        let cache = try #require(session.configuration.urlCache)
        _ = try await session.data(from: server.url())
        let task = session.dataTask(with: server.url())
        let found = await withCheckedContinuation { continuation in
            cache.getCachedResponse(for: task) { continuation.resume(returning: $0) }
        }
        #expect(found.map { String(decoding: $0.data, as: UTF8.self) } == "body")
        #expect(await cache.cachedResponse(for: task) == found)
        cache.removeCachedResponse(for: task)
        #expect(cache.cachedResponse(for: URLRequest(url: server.url())) == nil)
        if let found { cache.storeCachedResponse(found, for: task) }
        #expect(cache.cachedResponse(for: URLRequest(url: server.url())) != nil)
        task.cancel()
        await session.reset()
        #expect(cache.cachedResponse(for: URLRequest(url: server.url())) == nil)
    }
}

/// Writes down the calls of data tasks and decides what is kept.
private final class CachingDelegate: URLSessionDataDelegate {
    let calls = Mutex<[String]>([])
    let completion = Signal()
    private let choose: @Sendable (CachedURLResponse) -> CachedURLResponse?

    init(_ choose: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse?) {
        self.choose = choose
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        calls.withLock { $0.append("response") }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        calls.withLock { $0.append("data " + String(decoding: data, as: UTF8.self)) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        let body = String(decoding: proposedResponse.data, as: UTF8.self)
        calls.withLock { $0.append("willCache " + body) }
        completionHandler(choose(proposedResponse))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        calls.withLock { $0.append("end") }
        completion.add()
    }
}
