import CurlNetworking
import Foundation
import TestSupport
import Testing

/// `Expect: 100-continue` (RFC 9110 §10.1.1), and servers that refuse it.
@Suite(.timeLimit(.minutes(1))) struct ExpectationTests {
    private func makeRequest(_ server: LoopbackServer, expects: Bool = true) -> URLRequest {
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        if expects { request.setValue("100-continue", forHTTPHeaderField: "Expect") }
        return request
    }

    /// libcurl repeats a refused request on the same connection, and would take the second answer's body for that of
    /// the first.
    @Test(arguments: [true, false])
    func aRefusedExpectationIsLeftOutOnTheNextAttempt(isOwn: Bool) async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .answer("417 Expectation Failed", body: "failed"), .readRequest,
                .answer("202 Accepted", body: "repeated"),
            ],
            [.readRequest, .answer("201 Created", body: "created")],
        ])
        let delegate = RecordingDelegate()
        let session = makeSession(delegate) {
            if !isOwn { $0.httpAdditionalHeaders = ["Expect": "100-continue"] }
        }
        let (data, response) = try await session.upload(
            for: makeRequest(server, expects: isOwn), from: Data("hello".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect(String(decoding: data, as: UTF8.self) == "created")
        #expect(server.requests.map(\.text) == ["hello"])
        #expect(server.requests.map { $0["Expect"] } == [nil])
        let first = String(decoding: server.received(on: 0), as: UTF8.self)
        #expect(first.contains("Expect: 100-continue"))
        #expect(first.components(separatedBy: "POST /").count == 2)
        let statuses = delegate.snapshot.metrics.first?.transactionMetrics.map {
            ($0.response as? HTTPURLResponse)?.statusCode
        }
        #expect(statuses == [417, 201])
    }

    @Test func aServerThatRefusesTheRequestItselfIsBelieved() async throws {
        let server = try LoopbackServer { _ in [.answer("417 Expectation Failed", body: "no")] }
        let (data, response) = try await makeSession().upload(
            for: makeRequest(server), from: Data("hello".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 417)
        #expect(String(decoding: data, as: UTF8.self) == "no")
        #expect(server.requests.map { $0["Expect"] } == ["100-continue", nil])
        #expect(server.requests.map(\.text) == ["hello", "hello"])
    }

    @Test func withoutAnExpectationARefusalIsTheAnswer() async throws {
        let server = try LoopbackServer { _ in [.answer("417 Expectation Failed", body: "no")] }
        let (_, response) = try await makeSession().upload(
            for: makeRequest(server, expects: false), from: Data("hello".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 417)
        #expect(server.requests.count == 1)
    }

    @Test func anExpectationThatIsMetIsSentOnce() async throws {
        let server = try LoopbackServer { _ in [.answer("201 Created", body: "created")] }
        let (_, response) = try await makeSession().upload(
            for: makeRequest(server), from: Data("hello".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 201)
        #expect(server.requests.map { $0["Expect"] } == ["100-continue"])
    }
}
