import CurlNetworking
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CookieWireTests {
    /// Answers with what `answers` has for the target, and keeps what it was asked.
    private func makeServer(_ fields: [String: [String]]) throws -> LoopbackServer {
        try LoopbackServer { request in
            let fields = fields[request.target] ?? []
            let status = fields.contains { $0.hasPrefix("Location:") } ? "302 Found" : "200 OK"
            return [.answer(status, fields)]
        }
    }

    @Test func whatAnAnswerSetsGoesWithTheNextRequestLineByLine() async throws {
        let server = try makeServer(["/": ["Set-Cookie: a=1, x; Path=/", "Set-Cookie: b=2"]])
        let session = makeSession()
        _ = try await session.data(from: server.url())
        _ = try await session.data(from: server.url("/next"))
        #expect(server.requests.map { $0["Cookie"] } == [nil, "a=1, x; b=2"])
    }

    @Test func aRedirectSetsCookiesForWhereItLeadsAndBringsNoneToAnotherHost() async throws {
        let other = try makeServer([:])
        let far = try #require(
            URL(string: "http://localhost:\(other.port)/far"))
        let server = try makeServer([
            "/": ["Set-Cookie: a=1", "Location: /in"], "/in": ["Location: \(far)"],
        ])
        _ = try await makeSession().data(from: server.url())
        #expect(server.requests.map { $0["Cookie"] } == [nil, "a=1"])
        #expect(other.requests.map { $0["Cookie"] } == [nil])
    }

    @Test func aCookieRemovedByARedirectWithinTheOriginIsNotSentAgain() async throws {
        let server = try makeServer([
            "/": ["Set-Cookie: a=1"],
            "/out": ["Set-Cookie: a=; Max-Age=0", "Location: /gone"],
        ])
        let session = makeSession()
        _ = try await session.data(from: server.url())
        _ = try await session.data(from: server.url("/out"))
        #expect(server.requests.map { $0["Cookie"] } == [nil, "a=1", nil])
    }

    @Test func pathSecureAndExpiryCount() async throws {
        let server = try makeServer([
            "/": [
                "Set-Cookie: path=1; Path=/only", "Set-Cookie: secure=1; Secure",
                "Set-Cookie: old=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
                "Set-Cookie: gone=1; Max-Age=0", "Set-Cookie: kept=1; Max-Age=1000",
                "Set-Cookie: foreign=1; Domain=example.com",
            ]
        ])
        let session = makeSession()
        for path in ["/", "/x", "/only/x"] { _ = try await session.data(from: server.url(path)) }
        // 127.0.0.1 is trustworthy without TLS, but Secure asks for https.
        #expect(server.requests.map { $0["Cookie"] } == [nil, "kept=1", "path=1; kept=1"])
    }

    @Test func aRequestsOwnCookieFieldGoesUnchangedAndAnswersStillSetCookies() async throws {
        let server = try makeServer(["/": ["Set-Cookie: a=1"]])
        let session = makeSession()
        var request = URLRequest(url: server.url())
        request.setValue("mine=1", forHTTPHeaderField: "Cookie")
        _ = try await session.data(for: request)
        _ = try await session.data(for: request)
        _ = try await session.data(from: server.url())
        #expect(server.requests.map { $0["Cookie"] } == ["mine=1", "mine=1", "a=1"])
    }

    @Test func theTasksOwnRequestNeverCarriesTheStoragesCookies() async throws {
        let server = try makeServer(["/": ["Set-Cookie: a=1"]])
        let session = makeSession()
        _ = try await session.data(from: server.url())
        let delegate = RecordingDelegate()
        let again = URLSession(
            configuration: session.configuration, delegate: delegate, delegateQueue: nil)
        let task = again.dataTask(with: server.url())
        task.resume()
        await delegate.completion()
        #expect(server.requests.last?["Cookie"] == "a=1")
        #expect(task.currentRequest?.value(forHTTPHeaderField: "Cookie") == nil)
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func settingsOfSessionAndRequestTurnThemOff(way: Int) async throws {
        let server = try makeServer(["/": ["Set-Cookie: a=1"]])
        let storage = HTTPCookieStorage()
        let session = makeSession { configuration in
            configuration.httpCookieStorage = way == 0 ? nil : storage
            if way == 1 { configuration.httpShouldSetCookies = false }
            if way == 2 { configuration.httpCookieAcceptPolicy = .never }
            if way == 3 { storage.cookieAcceptPolicy = .never }
        }
        var request = URLRequest(url: server.url())
        if way == 4 { request.httpShouldHandleCookies = false }
        _ = try await session.data(for: request)
        _ = try await session.data(for: request)
        #expect(server.requests.map { $0["Cookie"] } == [nil, nil])
        #expect(storage.cookies?.count == (way == 1 ? 1 : 0))
    }

    @Test
    func cookiesOfAnotherSiteThanTheDocumentsAreRefusedUnlessThePolicyIsAlways() async throws {
        let server = try makeServer(["/": ["Set-Cookie: a=1"]])
        for policy in [HTTPCookieStorage.AcceptPolicy.onlyFromMainDocumentDomain, .always] {
            let storage = HTTPCookieStorage()
            storage.cookieAcceptPolicy = .always
            let session = makeSession {
                $0.httpCookieStorage = storage
                $0.httpCookieAcceptPolicy = policy
            }
            var request = URLRequest(url: server.url())
            request.mainDocumentURL = URL(string: "http://elsewhere.example/")
            _ = try await session.data(for: request)
            #expect(storage.cookies?.count == (policy == .always ? 1 : 0))
        }
    }

    @Test func ephemeralConfigurationsShareNothingAndSessionsOfOneShareAll() async throws {
        let server = try makeServer(["/": ["Set-Cookie: a=1"]])
        let session = makeSession()
        _ = try await session.data(from: server.url())
        _ = try await makeSession().data(from: server.url("/other"))
        _ = try await URLSession(configuration: session.configuration).data(
            from: server.url("/same"))
        #expect(server.requests.map { $0["Cookie"] } == [nil, nil, "a=1"])
        #expect(session.configuration.httpCookieStorage?.cookies?.map(\.name) == ["a"])
    }

    @Test func aClientErrorAndAFailedBodySetCookiesToo() async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead,
                .send(
                    "HTTP/1.1 404 X\r\nSet-Cookie: a=1\r\nContent-Length: 9\r\n\r\nshort"),
                .close,
            ]
        ])
        let session = makeSession()
        #expect(
            await errorCode { try await session.data(from: server.url()) } == .networkConnectionLost
        )
        #expect(session.configuration.httpCookieStorage?.cookies?.map(\.name) == ["a"])
    }

    @Test func tasksStoreAndFindCookiesByTheirRequest() async throws {
        let server = try makeServer([:])
        let storage = HTTPCookieStorage()
        let session = makeSession { $0.httpCookieStorage = storage }
        let task = session.dataTask(with: server.url("/x"))
        let cookies = HTTPCookie.cookies(
            withResponseHeaderFields: ["Set-Cookie": "a=1; Path=/x"], for: server.url())
        storage.storeCookies(cookies, for: task)
        let found = await withCheckedContinuation { continuation in
            storage.getCookiesFor(task) { continuation.resume(returning: $0) }
        }
        #expect(found?.map(\.name) == ["a"])
        task.cancel()
    }

    @Test func flushWritesTheFileResetEmptiesFileAndJarAndBothLeadToNewConnections() async throws {
        let folder = try ScratchFolder()
        let file = folder.url(of: "cookies")
        let server = try makeServer(["/": ["Set-Cookie: a=1; Max-Age=1000"]])
        let session = makeSession { $0.httpCookieStorage = HTTPCookieStorage(fileURL: file) }
        _ = try await session.data(from: server.url())
        await session.flush()
        #expect(HTTPCookieStorage(fileURL: file).cookies?.map(\.name) == ["a"])
        _ = try await session.data(from: server.url())
        #expect(server.connectionCount == 2)
        await session.reset()
        #expect(HTTPCookieStorage(fileURL: file).cookies?.isEmpty == true)
        _ = try await session.data(from: server.url())
        #expect(server.requests.map { $0["Cookie"] } == [nil, "a=1", nil])
        #expect(server.connectionCount == 3)
        // Otherwise the last answer's cookie would be written when the folder is gone.
        await session.flush()
    }
}
