import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

private typealias Kind = RealHTTP2Server.Kind

/// Whose connections requests over TLS wait for, and which they open.
@Suite(
    .timeLimit(.minutes(2)), .enabled(if: speaksHTTP2, whyNoHTTP2),
    .enabled(if: Kind.nginx.isInstalled, Comment(rawValue: Kind.nginx.reasonToSkip)))
struct HTTP2ConnectionTests {
    private let nginx: NginxOverTLS

    init() throws { nginx = try NginxOverTLS() }

    /// The first connection leads to a server of HTTP/2, all others to one of HTTP/1.1.
    @Test func behindOneNameEachServerIsSpokenToInItsWay() async throws {
        let count = 40
        let modern = try nginx.make(streamsPerConnection: 1)
        let body = Data(count: 6 << 20)
        try body.write(to: modern.folder.appending(path: "files/a"))
        let old = try nginx.make(isHTTP2: false)
        let balancer = try LoopbackServer(
            scripts: [[.relay(to: modern.port)], [.relay(to: old.port)]])
        func url(_ path: String) throws -> URL {
            try #require(URL(string: "https://127.0.0.1:\(balancer.port)\(path)"))
        }
        let suspension = Signal()
        let delegate = RecordingDelegate.holdingFirstTask(suspension)
        let session = makeSession(delegate) { configuration in
            configuration.certificateAuthoritiesFile = nginx.item.file
            configuration.urlCache = nil
            configuration.httpMaximumConnectionsPerHost = 2
        }
        let held = session.dataTask(with: try url("/files/a"))
        held.resume()
        await suspension.wait()
        // There is no room for a second stream.
        for _ in 0..<count { session.dataTask(with: try url("/protocol")).resume() }
        await delegate.completion(of: count)
        #expect(delegate.error == nil)
        func names() -> [String?] {
            delegate.snapshot.metrics.flatMap(\.transactionMetrics).map(\.networkProtocolName)
        }
        #expect(names() == Array(repeating: "http/1.1", count: count))
        // One more than the limit: the first might have been closing.
        #expect(balancer.connectionCount <= 3)
        held.resume()
        await delegate.completion(of: count + 1)
        #expect(names().last == "h2")
        #expect(delegate.error == nil)
    }

    /// A person may take longer over a certificate than a request may take.
    @Test func whoWaitsForAConnectionWaitsForTheAnswerAboutIt() async throws {
        let server = try nginx.make()
        let delegate = HoldingDelegate()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: nil)
        let results = Mutex<[String]>([])
        let answered = Signal()
        let tasks = (0..<3).map { _ in
            session.dataTask(with: server.url("/protocol")) { data, _, error in
                let text = data.map { String(decoding: $0, as: UTF8.self) } ?? "\(error as Any)"
                results.withLock { $0.append(text) }
                answered.add()
            }
        }
        for task in tasks { task.resume() }
        await delegate.questions.wait()
        #expect(delegate.questions.count == 1)
        for task in tasks[1...] {
            #expect(await engine(has: task) { $0.isAwaitingConnection && $0.runsNoTimer })
        }
        delegate.acceptAll()
        await answered.wait(for: 3)
        #expect(results.withLock { $0 } == Array(repeating: "HTTP/2.0", count: 3))
        session.invalidateAndCancel()
    }

    /// The next one is not asked yet: its time runs again, as does that of those who wait for it.
    @Test func timeRunsAgainWhenTheOneThatIsAskedGivesUp() async throws {
        let server = try nginx.make()
        let delegate = HoldingDelegate()
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let tasks = (0..<3).map { _ in session.dataTask(with: server.url("/protocol")) }
        for task in tasks { task.resume() }
        await delegate.questions.wait()
        #expect(delegate.questions.count == 1)
        #expect(await engine(has: tasks[2]) { $0.isAwaitingConnection && $0.runsNoTimer })
        tasks[0].cancel()
        await delegate.questions.wait(for: 2)
        #expect(delegate.questions.count == 2)
        #expect(await engine(has: tasks[1]) { $0.isAsking })
        #expect(await engine(has: tasks[2]) { $0.isAwaitingConnection && $0.runsNoTimer })
        session.invalidateAndCancel()
    }
}

/// Takes its time over servers.
private final class HoldingDelegate: URLSessionDelegate {
    private typealias Answer = @Sendable () -> Void

    private struct State {
        var isOpen = false
        /// Of the servers that wait for one.
        var answers: [Answer] = []
    }

    private let state = Mutex(State())
    /// One for each server that it was asked about.
    let questions = Signal()

    func acceptAll() {
        let answers = state.withLock { state in
            state.isOpen = true
            defer { state.answers = [] }
            return state.answers
        }
        for answer in answers { answer() }
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let trust = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let answer: Answer = { completionHandler(.useCredential, URLCredential(trust: trust)) }
        let isOpen = state.withLock { state in
            if !state.isOpen { state.answers.append(answer) }
            return state.isOpen
        }
        questions.add()
        if isOpen { answer() }
    }
}
