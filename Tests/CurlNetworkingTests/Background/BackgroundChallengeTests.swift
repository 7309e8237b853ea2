import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// Who answers a challenge to a background task, and what is reported about it.
@Suite(.timeLimit(.minutes(2))) struct BackgroundChallengeTests {
    @Test func theDelegateIsAskedWhileItsProgramIsThere() async throws {
        let home = try BackgroundHome()
        let server = try makeServer()
        let delegate = AskedDelegate { challenge in
            challenge.previousFailureCount == 0
                ? (.useCredential, .init(user: "ada", password: "wrong", persistence: .none))
                : (.useCredential, .init(user: "ada", password: "lovelace", persistence: .none))
        }
        let session = URLSession(
            configuration: home.configuration(), delegate: delegate, delegateQueue: nil)
        session.downloadTask(with: server.url("/photo")).resume()
        await delegate.completed.wait()
        #expect(delegate.record.withLock { $0.bodies } == ["ada's"])
        let spaces = delegate.record.withLock { $0.spaces }
        #expect(spaces.map(\.realm) == ["club", "club"])
        #expect(spaces.first?.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
        #expect(spaces.first?.host == "127.0.0.1")
        #expect(delegate.record.withLock { $0.statuses } == [401, 401])
    }

    @Test func cancellingTheChallengeEndsTheTask() async throws {
        let home = try BackgroundHome()
        let server = try makeServer()
        let delegate = AskedDelegate { _ in (.cancelAuthenticationChallenge, nil) }
        let session = URLSession(
            configuration: home.configuration(), delegate: delegate, delegateQueue: nil)
        session.downloadTask(with: server.url()).resume()
        await delegate.completed.wait()
        #expect(delegate.record.withLock { $0.error }?.code == .cancelled)
    }

    @Test func storedCredentialsAnswerWhenNobodyIsThere() async throws {
        let home = try BackgroundHome()
        let gate = LoopbackGate()
        let server = try makeServer(gate)
        let configuration = home.configuration()
        let storage = URLCredentialStorage()
        let space = URLProtectionSpace(
            host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "club",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        storage.setDefaultCredential(
            URLCredential(user: "ada", password: "lovelace", persistence: .permanent), for: space)
        configuration.urlCredentialStorage = storage
        let first = URLSession(
            configuration: configuration, delegate: RecordingDelegate(), delegateQueue: nil)
        first.downloadTask(with: server.url()).resume()
        await server.requests(atLeast: 1)
        await first.background?.abandon()
        gate.open()
        await server.requests(atLeast: 2)
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.completion()
        #expect(delegate.snapshot.files == [Data("ada's".utf8)])
        _ = session
    }

    @Test func aQuestionThatIsLeftOpenIsAnsweredByDefault() async throws {
        let home = try BackgroundHome()
        let server = try makeServer()
        let asked = Signal()
        let silent = MuteDelegate(asked)
        let first = URLSession(
            configuration: home.configuration(), delegate: silent, delegateQueue: nil)
        first.downloadTask(with: server.url()).resume()
        await asked.wait()
        await first.background?.abandon()
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [Data("who are you?".utf8)])
        _ = session
    }

    @Test func metricsComeAlong() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { request in
            request.target == "/old"
                ? [.answer("302 Found", ["Location: /new"])] : [.answer(body: "there")]
        }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        session.downloadTask(with: server.url("/old")).resume()
        await delegate.completion()
        let metrics = try #require(delegate.snapshot.metrics.first)
        #expect(metrics.redirectCount == 1)
        #expect(
            metrics.transactionMetrics.map(\.request.url) == [
                server.url("/old"), server.url("/new"),
            ])
        let last = try #require(metrics.transactionMetrics.last)
        #expect((last.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(last.countOfResponseBodyBytesReceived == 5)
        #expect(last.remotePort == Int(server.port))
        let start = try #require(last.requestStartDate)
        #expect(try #require(last.responseEndDate) >= start)
    }

    /// Lets in who knows the password.
    private func makeServer(_ gate: LoopbackGate? = nil) throws -> LoopbackServer {
        try LoopbackServer { request in
            let pass = "Basic " + Data("ada:lovelace".utf8).base64EncodedString()
            if request["Authorization"] == pass { return [.answer(body: "ada's")] }
            let refusal = LoopbackStep.answer(
                "401 Unauthorized", ["WWW-Authenticate: Basic realm=\"club\""],
                body: "who are you?")
            return gate.map { [.wait($0), refusal] } ?? [refusal]
        }
    }
}

/// Answers challenges as a test says.
private final class AskedDelegate: URLSessionDownloadDelegate {
    typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

    struct Record: Sendable {
        var spaces: [URLProtectionSpace] = []
        var statuses: [Int] = []
        var bodies: [String] = []
        var error: CurlNetworking.URLError?
    }

    let record = Mutex(Record())
    let completed = Signal()
    private let answer: @Sendable (URLAuthenticationChallenge) -> Answer

    init(_ answer: @escaping @Sendable (URLAuthenticationChallenge) -> Answer) {
        self.answer = answer
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        record.withLock { record in
            record.spaces.append(challenge.protectionSpace)
            record.statuses.append(
                (challenge.failureResponse as? HTTPURLResponse)?.statusCode ?? 0)
        }
        let (disposition, credential) = answer(challenge)
        completionHandler(disposition, credential)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let text = (try? String(contentsOf: location, encoding: .utf8)) ?? ""
        record.withLock { $0.bodies.append(text) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        record.withLock { $0.error = error as? CurlNetworking.URLError }
        completed.add()
    }
}

/// Never answers.
private final class MuteDelegate: URLSessionTaskDelegate {
    private let asked: Signal

    init(_ asked: Signal) {
        self.asked = asked
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        asked.add()
    }
}
