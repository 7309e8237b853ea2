import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

/// What tests of real programs subclass and override, as they do it with FoundationNetworking.
@Suite(.timeLimit(.minutes(1))) struct MockingTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func aLoaderMayOverrideItsProperties() async throws {
        let session = makeSession { $0.protocolClasses = [Blocking.self] }
        let (data, response) = try await session.data(from: url("mock://a/x"))
        #expect(data.isEmpty)
        #expect((response as? HTTPURLResponse)?.statusCode == 204)
    }

    @Test func aHandlerGetsABodyWithoutAResponse() async throws {
        let session = makeSession { $0.protocolClasses = [WithoutResponse.self] }
        let answer: (Data?, URLResponse?, (any Error)?) = await withCheckedContinuation { done in
            guard let url = try? url("mock://a/x") else { return }
            session.dataTask(with: url) { done.resume(returning: ($0, $1, $2)) }.resume()
        }
        #expect(answer.0 == Data("body".utf8))
        #expect(answer.1 == nil && answer.2 == nil)
        // An awaiting caller needs a response.
        await #expect(throws: URLError(.badServerResponse, failingURL: try url("mock://a/x"))) {
            try await session.data(from: url("mock://a/x"))
        }
    }

    @Test func theDelegateAnswersALoadersChallenge() async throws {
        let book = ChallengeBook { challenge in
            #expect(challenge.protectionSpace.realm == "vault")
            return (.useCredential, URLCredential(user: "ann", password: "pw", persistence: .none))
        }
        let session = makeSession(ChallengeDelegate(book)) { $0.protocolClasses = [Asking.self] }
        let (data, _) = try await session.data(from: url("mock://a/x"))
        #expect(data == Data("ann:pw".utf8))
        #expect(book.challenges.count == 1)
    }

    @Test func aWebSocketTaskCanBeAMock() async throws {
        let session = SocketSession(configuration: .ephemeral)
        let task = session.webSocketTask(with: try url("ws://a.test/"))
        try await task.send(.string("hello"))
        guard case .string("hello") = try await task.receive() else {
            Issue.record("not what was sent")
            return
        }
        task.cancel(with: .goingAway, reason: Data("bye".utf8))
        #expect(task.closeCode == .goingAway)
    }

    @Test func aDownloadTaskMayOverrideItsCancellation() {
        let resumed = Mutex<Data?>(nil)
        MockDownload().cancel { data in resumed.withLock { $0 = data } }
        #expect(resumed.withLock { $0 } == Data("kept".utf8))
        #expect(URLSessionTaskMetrics().redirectCount == 0)
        #expect(URLSessionDownloadTaskResumeData == NSURLSessionDownloadTaskResumeData)
    }

    @Test func requestsWithTheSameFieldsAreEqual() throws {
        let url = try url("http://a.test/")
        var (one, other) = (URLRequest(url: url), URLRequest(url: url))
        one.setValue("1", forHTTPHeaderField: "A")
        one.setValue("2", forHTTPHeaderField: "B")
        other.setValue("2", forHTTPHeaderField: "b")
        other.setValue("1", forHTTPHeaderField: "A")
        #expect(one == other && one.hashValue == other.hashValue)
        other.setValue("3", forHTTPHeaderField: "A")
        #expect(one != other)
        let explicit = URLRequest(
            url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 60)
        #expect(explicit == URLRequest(url: url))
        #expect(explicit.hashValue == URLRequest(url: url).hashValue)
        #expect(URLRequest(url: url, timeoutInterval: 5) != URLRequest(url: url))
    }

    @Test(arguments: [
        ("content-type", "Content-Type"), ("ETAG", "Etag"), ("request-id", "Request-Id"),
        ("x-request-ID", "x-request-ID"), ("www-authenticate", "WWW-Authenticate"),
    ])
    func fieldNamesAreSpelledAsByFoundation(name: String, shown: String) throws {
        let response = try #require(
            HTTPURLResponse(
                url: url("http://a.test/"), statusCode: 200, httpVersion: nil,
                headerFields: [name: "x"]))
        #expect(response.allHeaderFields[shown] as? String == "x")
    }
}

/// Blocks a request, and offers nothing of the cache.
private final class Blocking: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "mock" }
    override class func canInit(with task: URLSessionTask) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override var cachedResponse: CachedURLResponse? { nil }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 204, httpVersion: "HTTP/1.1", headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

private final class WithoutResponse: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "mock" }
    override func startLoading() {
        client?.urlProtocol(self, didLoad: Data("body".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}

/// Asks for a credential, and answers with it.
private final class Asking: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "mock" }

    override func startLoading() {
        let space = URLProtectionSpace(
            host: "a", port: 0, protocol: "mock", realm: "vault",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        client?.urlProtocol(
            self,
            didReceive: URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: nil, previousFailureCount: 0,
                failureResponse: nil, error: nil, sender: Sender(self)))
    }

    fileprivate func answer(with text: String) {
        guard let url = request.url else { return }
        let response = URLResponse(
            url: url, mimeType: "text/plain", expectedContentLength: -1, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(text.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    /// Unchecked: used on the loader's queue.
    private final class Sender: URLAuthenticationChallengeSender, @unchecked Sendable {
        private let loader: Asking

        init(_ loader: Asking) { self.loader = loader }

        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
            loader.answer(with: "\(credential.user ?? ""):\(credential.password ?? "")")
        }
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
            loader.answer(with: "none")
        }
        func cancel(_ challenge: URLAuthenticationChallenge) {
            loader.client?.urlProtocol(
                loader, didFailWithError: URLError(.userCancelledAuthentication))
        }
    }
}

private final class SocketSession: URLSession, @unchecked Sendable {
    override func webSocketTask(with url: URL) -> URLSessionWebSocketTask { MockSocket() }
}

/// Gives back what it is sent. Unchecked: its state is behind a lock.
private final class MockSocket: URLSessionWebSocketTask, @unchecked Sendable {
    private let sent = Mutex<(messages: [Message], code: CloseCode)>(([], .invalid))

    override func send(_ message: Message) async throws {
        sent.withLock { $0.messages.append(message) }
    }
    override func receive() async throws -> Message { sent.withLock { $0.messages.removeFirst() } }
    override func cancel(with closeCode: CloseCode, reason: Data?) {
        sent.withLock { $0.code = closeCode }
    }
    override var closeCode: CloseCode { sent.withLock { $0.code } }
}

private final class MockDownload: URLSessionDownloadTask, @unchecked Sendable {
    override func cancel(
        byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void
    ) {
        completionHandler(Data("kept".utf8))
    }
}
