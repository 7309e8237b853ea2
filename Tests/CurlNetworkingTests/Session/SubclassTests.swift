import CurlNetworking
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// Subclasses of a program in place of the library's classes, as its tests have them.
@Suite(.timeLimit(.minutes(1))) struct SubclassTests {
    private final class OwnCache: URLCache, @unchecked Sendable {
        let asked = Mutex<[String]>([])

        override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
            asked.withLock { $0.append("find") }
            return super.cachedResponse(for: request)
        }

        override func storeCachedResponse(
            _ cachedResponse: CachedURLResponse, for request: URLRequest
        ) {
            asked.withLock {
                $0.append("store " + String(decoding: cachedResponse.data, as: UTF8.self))
            }
            super.storeCachedResponse(cachedResponse, for: request)
        }
    }

    private final class Canned: URLCache, @unchecked Sendable {
        override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
            guard let url = request.url,
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil,
                    headerFields: ["Cache-Control": "max-age=60"])
            else { return nil }
            return CachedURLResponse(response: response, data: Data("canned".utf8))
        }
    }

    private final class OwnCookies: HTTPCookieStorage, @unchecked Sendable {
        let received = Mutex<[String]>([])

        override func cookies(for url: URL) -> [HTTPCookie]? {
            HTTPCookie(properties: [.name: "own", .value: "1", .originURL: url, .path: "/"]).map {
                [$0]
            }
        }

        override func setCookies(
            _ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?
        ) {
            received.withLock { $0 += cookies.map(\.name) }
        }
    }

    private final class OwnCredentials: URLCredentialStorage, @unchecked Sendable {
        override func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
            URLCredential(user: "ada", password: "pw", persistence: .forSession)
        }
    }

    private final class Teapot: HTTPURLResponse, @unchecked Sendable {
        override var statusCode: Int { 418 }
    }

    private final class OwnSpace: URLProtectionSpace, @unchecked Sendable {
        override var authenticationMethod: String { NSURLAuthenticationMethodServerTrust }
        override var host: String { "mock.test" }
    }

    private final class OwnChallenge: URLAuthenticationChallenge, @unchecked Sendable {
        override var previousFailureCount: Int { 7 }
        override var protectionSpace: URLProtectionSpace {
            OwnSpace(host: "a", port: 1, protocol: nil, realm: nil, authenticationMethod: nil)
        }
    }

    private final class OwnStored: CachedURLResponse, @unchecked Sendable {
        override var data: Data { Data("own".utf8) }

        init(_ response: URLResponse) {
            super.init(response: response, data: Data())
        }
    }

    private final class OwnMetrics: URLSessionTaskMetrics, @unchecked Sendable {
        override var redirectCount: Int { 3 }
    }

    /// With initializers of the subclass, and properties of its own.
    @Test func whatSessionsHandOutCanBeMocked() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let space = OwnSpace(
            host: "a", port: 1, protocol: nil, realm: nil, authenticationMethod: nil)
        #expect(space.host == "mock.test" && space.receivesCredentialSecurely)
        let challenge = OwnChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0,
            failureResponse: nil, error: nil)
        #expect(challenge.previousFailureCount == 7)
        #expect(challenge.protectionSpace.host == "mock.test")
        let response = URLResponse(
            url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        #expect(OwnStored(response).data == Data("own".utf8))
        #expect(OwnMetrics().redirectCount == 3)
    }

    /// A task's owner, whose handler holds it.
    private final class Loader: @unchecked Sendable {
        var task: URLSessionDataTask?
        var count = 0

        func load(_ url: URL, in session: URLSession, done: @escaping @Sendable () -> Void) {
            task = session.dataTask(with: url) { [self] data, _, _ in
                count = data?.count ?? 0
                done()
            }
            task?.resume()
        }
    }

    @Test func aHandlerIsLetGoOfWhenItWasCalled() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let queue = DispatchQueue(label: "handlers")
        let session = makeSession(on: queue)
        weak var loader: Loader?
        await withCheckedContinuation { continuation in
            let made = Loader()
            loader = made
            made.load(server.url(), in: session) { continuation.resume() }
        }
        session.finishTasksAndInvalidate()
        // The turn in which it was called holds it until its end.
        await drain(queue)
        #expect(loader == nil)
    }

    @Test func aCustomCacheIsAskedByItsPublicMethods() async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Cache-Control: max-age=60"], body: "x")]
        }
        let cache = OwnCache(memoryCapacity: 1 << 20, diskCapacity: 0)
        let session = makeSession { $0.urlCache = cache }
        for _ in 0..<2 {
            #expect(try await session.data(from: server.url()).0 == Data("x".utf8))
        }
        #expect(server.requests.count == 1)
        #expect(cache.asked.withLock { $0 } == ["find", "store x", "find"])
        let canned = makeSession { $0.urlCache = Canned(memoryCapacity: 0, diskCapacity: 0) }
        #expect(try await canned.data(from: server.url()).0 == Data("canned".utf8))
        #expect(server.requests.count == 1)
    }

    @Test func aCustomCookieStorageIsAskedByItsPublicMethods() async throws {
        let server = try LoopbackServer { _ in [.answer("200 OK", ["Set-Cookie: a=1"], body: "x")] }
        let storage = OwnCookies()
        let session = makeSession { $0.httpCookieStorage = storage }
        _ = try await session.data(from: server.url())
        #expect(server.requests.first?["Cookie"] == "own=1")
        #expect(storage.received.withLock { $0 } == ["a"])
    }

    @Test func aCustomCredentialStorageIsAskedByItsPublicMethods() async throws {
        let server = try LoopbackServer { request in
            request["Authorization"] == nil
                ? [.answer("401 No", ["WWW-Authenticate: Basic realm=r"])]
                : [.answer(body: "in")]
        }
        let session = makeSession { $0.urlCredentialStorage = OwnCredentials() }
        #expect(try await session.data(from: server.url()).0 == Data("in".utf8))
    }

    @Test func aCustomAnswerSaysWhatItOverrides() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let response: HTTPURLResponse = try #require(
            Teapot(url: url, statusCode: 200, httpVersion: nil, headerFields: ["A": "b"]))
        #expect(response.statusCode == 418)
        #expect(response.value(forHTTPHeaderField: "a") == "b")
    }
}
