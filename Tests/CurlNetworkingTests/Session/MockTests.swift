import CurlNetworking
import Foundation
import Synchronization
import TestSupport
import Testing

/// Mock sessions, tasks and configurations in place of the library's.
@Suite(.timeLimit(.minutes(1))) struct MockTests {
    private final class OwnTask: URLSessionDataTask, @unchecked Sendable {
        let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) {
            self.work = work
            super.init()
        }

        override func resume() { work() }
        override var taskIdentifier: Int { 7 }
    }

    private final class OwnSession: URLSession, @unchecked Sendable {
        let asked = Mutex<[String]>([])

        override func dataTask(
            with request: URLRequest,
            completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
        ) -> URLSessionDataTask {
            asked.withLock { $0.append(request.url?.absoluteString ?? "") }
            return OwnTask {
                completionHandler(
                    Data("own".utf8),
                    request.url.flatMap {
                        HTTPURLResponse(
                            url: $0, statusCode: 200, httpVersion: nil, headerFields: nil)
                    }, nil)
            }
        }
    }

    private final class OwnConfiguration: URLSessionConfiguration, @unchecked Sendable {
        var note = ""
    }

    @Test func theAsyncFormsAskAnOverriddenMethod() async throws {
        let session = OwnSession(configuration: .ephemeral)
        let url = try #require(URL(string: "http://a.test/b"))
        #expect(try await session.data(from: url).0 == Data("own".utf8))
        #expect(session.asked.withLock { $0 } == ["http://a.test/b"])
        #expect(session.dataTask(with: url) { _, _, _ in }.taskIdentifier == 7)
    }

    @Test func aSubclassLoadsWhatItDoesNotOverride() async throws {
        let server = try LoopbackServer { _ in [.answer(body: "real")] }
        final class Plain: URLSession, @unchecked Sendable {}
        let delegate = RecordingDelegate()
        let session = Plain(configuration: .ephemeral)
        let (body, _) = try await session.data(
            for: URLRequest(url: server.url()), delegate: delegate)
        #expect(body == Data("real".utf8))
        var post = URLRequest(url: server.url())
        post.httpMethod = "POST"
        let (sent, _) = try await session.upload(for: post, from: Data("x".utf8))
        #expect(sent == Data("real".utf8))
    }

    @Test func aTaskOfNoSessionFails() async {
        final class Lost: URLSessionDataTask, @unchecked Sendable {}
        let task = Lost()
        #expect(task.state == .suspended)
        #expect(task.originalRequest?.url == nil)
        task.cancel()
        #expect(task.state != .running)
    }

    @Test func aConfigurationOfOnesOwnMakesASession() {
        let configuration = OwnConfiguration()
        configuration.note = "mine"
        configuration.timeoutIntervalForRequest = 7
        let session = URLSession(configuration: configuration)
        #expect(session.configuration.timeoutIntervalForRequest == 7)
        #expect(configuration.note == "mine")
    }

    @Test func whatHasNoEffectIsKept() throws {
        let configuration = URLSessionConfiguration.ephemeral
        #expect(!configuration.allowsUltraConstrainedNetworkAccess)
        configuration.allowsUltraConstrainedNetworkAccess = true
        let copy = try #require(configuration.copy() as? URLSessionConfiguration)
        #expect(copy.allowsUltraConstrainedNetworkAccess)
        let certificate = try #require(ServerCertificate(derEncoded: Sample.der))
        let credential = URLCredential(
            identity: ClientIdentity(.pkcs12(URL(filePath: "/x"))), certificates: [certificate],
            persistence: .forSession)
        #expect(credential.certificates == [certificate])
        #expect(credential == credential.copy() as? URLCredential)
    }
}
