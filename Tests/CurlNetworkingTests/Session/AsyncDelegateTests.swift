import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

/// Delegates that answer by returning.
@Suite(.timeLimit(.minutes(1))) struct AsyncDelegateTests {
    /// Answers after a rest that leaves its thread.
    private final class Answering: URLSessionDataDelegate, URLSessionDownloadDelegate {
        let disposition: URLSession.ResponseDisposition
        let follows: Bool
        let keeps: Bool
        let calls = Mutex<[String]>([])
        let body = Mutex(Data())
        let completion = Signal()

        init(
            disposition: URLSession.ResponseDisposition = .allow, follows: Bool = true,
            keeps: Bool = true
        ) {
            self.disposition = disposition
            self.follows = follows
            self.keeps = keeps
        }

        private func note(_ call: String) { calls.withLock { $0.append(call) } }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
        ) async -> URLRequest? {
            await Task.yield()
            note("redirect")
            return follows ? request : nil
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            await Task.yield()
            note("challenge")
            return (
                .useCredential, URLCredential(user: "ada", password: "pw", persistence: .none)
            )
        }

        func urlSession(
            _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
        ) async -> InputStream? {
            await Task.yield()
            note("stream")
            return InputStream(data: makeBytes(5000))
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
        ) async -> URLSession.ResponseDisposition {
            await Task.yield()
            note("response")
            return disposition
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
        ) {
            note("data")
            body.withLock { $0.append(data) }
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask,
            willCacheResponse proposedResponse: CachedURLResponse
        ) async -> CachedURLResponse? {
            await Task.yield()
            note("willCache")
            return keeps ? proposedResponse : nil
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
        ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
            await Task.yield()
            note("delayed")
            return (.continueLoading, nil)
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask,
            didFinishDownloadingTo location: URL
        ) {
            note("file")
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            note(
                (error as? CurlNetworking.URLError)?.code == .cancelled ? "cancelled" : "completed")
            completion.add()
        }
    }

    private func makeSession(_ delegate: any URLSessionDelegate) -> URLSession {
        URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    }

    @Test func everyQuestionOfAnUploadIsAnswered() async throws {
        let server = try LoopbackServer { request in
            switch (request.target, request["Authorization"]) {
            case ("/", _): [.answer("307 X", ["Location: /inside"])]
            case (_, nil): [.answer("401 X", ["WWW-Authenticate: Basic realm=\"r\""])]
            default: [.answer("201 Created", body: "stored")]
            }
        }
        let delegate = Answering()
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        let task = makeSession(delegate).uploadTask(withStreamedRequest: request)
        task.earliestBeginDate = Date(timeIntervalSinceNow: 0.01)
        task.resume()
        await delegate.completion.wait()
        #expect(
            delegate.calls.withLock { $0 } == [
                "delayed", "stream", "redirect", "stream", "challenge", "stream", "response",
                "data", "completed",
            ])
        #expect(delegate.body.withLock { $0 } == Data("stored".utf8))
        #expect(server.requests.map(\.body.count) == [5000, 5000, 5000])
    }

    @Test(arguments: [
        (URLSession.ResponseDisposition.allow, ["response", "data", "willCache", "completed"]),
        (.cancel, ["response", "cancelled"]), (.becomeDownload, ["response", "file", "completed"]),
    ])
    func theResponseIsTakenAsItSays(
        disposition: URLSession.ResponseDisposition, calls: [String]
    ) async throws {
        let server = try LoopbackServer { _ in [.answer(body: "content")] }
        let delegate = Answering(disposition: disposition)
        makeSession(delegate).dataTask(with: server.url()).resume()
        await delegate.completion.wait()
        #expect(delegate.calls.withLock { $0 } == calls)
    }

    @Test func aRedirectThatIsNotFollowedIsTheAnswer() async throws {
        let server = try LoopbackServer { _ in [.answer("302 Found", ["Location: /x"])] }
        let delegate = Answering(follows: false)
        let task = makeSession(delegate).dataTask(with: server.url())
        task.resume()
        await delegate.completion.wait()
        #expect((task.response as? HTTPURLResponse)?.statusCode == 302)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [true, false]) func itSaysWhatIsKept(keeps: Bool) async throws {
        let server = try LoopbackServer { _ in
            [.answer("200 OK", ["Cache-Control: max-age=600"], body: "keep me")]
        }
        let delegate = Answering(keeps: keeps)
        let session = makeSession(delegate)
        for count in 1...2 {
            session.dataTask(with: server.url()).resume()
            await delegate.completion.wait(for: count)
        }
        #expect(server.requests.count == (keeps ? 1 : 2))
    }

    @Test func aTasksOwnDelegateGoesBeforeTheSessions() async throws {
        let server = try LoopbackServer { request in
            request["Authorization"] == nil
                ? [.answer("401 X", ["WWW-Authenticate: Basic realm=\"r\""])]
                : [.answer(body: "in")]
        }
        let (own, other) = (Answering(), Answering())
        let (data, _) = try await makeSession(other).data(from: server.url(), delegate: own)
        #expect(data == Data("in".utf8))
        #expect(own.calls.withLock { $0.contains("challenge") })
        #expect(!other.calls.withLock { $0.contains("challenge") })
    }

    // MARK: - The server's trust

    private final class Trusting: URLSessionDelegate {
        let isTrusted: Bool

        init(isTrusted: Bool) {
            self.isTrusted = isTrusted
        }

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            await Task.yield()
            guard isTrusted, let trust = challenge.protectionSpace.serverTrust else {
                return (.cancelAuthenticationChallenge, nil)
            }
            return (.useCredential, URLCredential(trust: trust))
        }
    }

    @Test(.enabled(if: OpenSSLCommand.isInstalled), arguments: [true, false])
    func itDecidesAboutAServer(isTrusted: Bool) async throws {
        let shop = try CertificateShop()
        defer { withExtendedLifetime(shop) {} }
        let host = try TLSHost(try shop.make())
        let session = makeSession(Trusting(isTrusted: isTrusted))
        do {
            let (body, _) = try await session.data(from: host.url())
            #expect(isTrusted && body == Data("in".utf8))
        } catch {
            #expect(!isTrusted && (error as? CurlNetworking.URLError)?.code == .cancelled)
        }
    }
}

/// A delegate that asks another one before it answers.
@Suite(.timeLimit(.minutes(1))) struct AskingDelegateTests {
    /// Has none of the methods.
    private final class Inner: URLSessionTaskDelegate {}

    private final class Outer: URLSessionTaskDelegate {
        let inner = Inner()
        let suspends: Bool

        init(suspends: Bool) { self.suspends = suspends }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
        ) async -> URLRequest? {
            if suspends { await Task.yield() }
            _ = await inner.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request)
            return nil
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            if suspends { await Task.yield() }
            _ = await inner.urlSession(session, task: task, didReceive: challenge)
            return (.cancelAuthenticationChallenge, nil)
        }
    }

    @Test(arguments: [false, true]) func itsOwnAnswerCounts(suspends: Bool) async throws {
        let server = try LoopbackServer { request in
            request.target == "/"
                ? [.answer("302 Found", ["Location: /inside"], body: "stay")]
                : [.answer("401 X", ["WWW-Authenticate: Basic realm=\"r\""], body: "no")]
        }
        let session = URLSession(
            configuration: .ephemeral, delegate: Outer(suspends: suspends), delegateQueue: nil)
        let (body, response) = try await session.data(from: server.url())
        #expect((response as? HTTPURLResponse)?.statusCode == 302)
        #expect(body == Data("stay".utf8))
        #expect(
            await errorCode { try await session.data(from: server.url("/inside")) } == .cancelled)
        #expect(server.requests.map(\.target) == ["/", "/inside"])
        session.invalidateAndCancel()
    }
}
