import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// Responses that another request follows, or a stored response, and whose bodies do not end.
@Suite(.timeLimit(.minutes(1))) struct DiscardedBodyTests {
    /// Plays a head whose body does not end, then another response on a new connection.
    private func makeServer(
        _ head: String, after gate: LoopbackGate? = nil
    ) throws -> LoopbackServer {
        var steps: [LoopbackStep] = [.readHead]
        if let gate { steps.append(.wait(gate)) }
        let rest = "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nmoved\r\n"
        steps += [.send(head + rest), .stall]
        return try LoopbackServer(scripts: [steps, [.readRequest, .answer(body: "end")]])
    }

    /// Shorter than the test's own limit: a task that waits for the body fails with it.
    private func makeRequest(_ server: LoopbackServer) -> URLRequest {
        var request = URLRequest(url: server.url())
        request.timeoutInterval = 15
        return request
    }

    @Test func aRedirectIsFollowedWithoutTheEndOfItsBody() async throws {
        let server = try makeServer("HTTP/1.1 302 Found\r\nLocation: /x")
        let (data, _) = try await makeSession().data(for: makeRequest(server))
        #expect(String(decoding: data, as: UTF8.self) == "end")
        #expect(server.requests.map(\.target) == ["/x"])
        await server.end(ofConnection: 0)
    }

    @Test func credentialsAreSentWithoutTheEndOfTheChallenge() async throws {
        let server = try makeServer("HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"house\"")
        let delegate = TaskChallengeDelegate(ChallengeBook(user: "ada", password: "pw"))
        let (data, _) = try await makeSession(delegate).data(for: makeRequest(server))
        #expect(String(decoding: data, as: UTF8.self) == "end")
        #expect(server.requests.map { $0["Authorization"] } == ["Basic YWRhOnB3"])
    }

    @Test func aStoredResponseIsDeliveredWithoutTheEndOfAFailure() async throws {
        let fields = ["Cache-Control: max-age=0, stale-if-error=600", "ETag: \"1\""]
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .answer("200 OK", fields, body: "stored"), .readHead,
                .send("HTTP/1.1 503 No\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfails\r\n"),
                .stall,
            ]
        ])
        let session = makeSession()
        for _ in 0..<2 {
            let (data, _) = try await session.data(for: makeRequest(server))
            #expect(String(decoding: data, as: UTF8.self) == "stored")
        }
    }

    /// Nothing is read then, and nothing is sent; the engine must not spin on a time that has passed either.
    @Test func aSuspendedTaskHasNoSuchLimit() async throws {
        let gate = LoopbackGate()
        let server = try makeServer("HTTP/1.1 302 Found\r\nLocation: /x", after: gate)
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: makeRequest(server))
        task.resume()
        let id = ObjectIdentifier(task)
        let isSuspended = await engine { engine in
            gate.open()
            guard let transfer = engine.transfers[id], transfer.discardDeadline != nil else {
                return false
            }
            // As if a second had passed while the program was suspended.
            task.suspend()
            engine.lifeChanged(of: task)
            transfer.attempt.received.discardDeadline = 1
            return transfer.discardDeadline == nil
        }
        #expect(isSuspended)
        try await RequestsAside().run(20)
        #expect(server.requests.isEmpty)
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(String(decoding: delegate.body, as: UTF8.self) == "end")
    }

    /// The request's own timer ends the wait, too, instead of the task. The resource's ends the task.
    @Test(arguments: [true, false])
    func aTimeoutEndsTheBodyAlone(isOfRequest: Bool) async throws {
        let gate = LoopbackGate()
        let server = try makeServer("HTTP/1.1 302 Found\r\nLocation: /x", after: gate)
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: makeRequest(server))
        task.resume()
        let id = ObjectIdentifier(task)
        let isSet = await engine { engine in
            gate.open()
            guard let transfer = engine.transfers[id], transfer.discardDeadline != nil else {
                return false
            }
            var passed = Countdown(seconds: 0.001)
            passed.start(at: 0)
            if isOfRequest {
                transfer.attempt.received.discardDeadline = .max
                transfer.timers.request = passed
            } else {
                transfer.timers.resource = passed
            }
            engine.updateTimers(of: transfer)
            return true
        }
        #expect(isSet)
        await delegate.completion()
        let expected: URLError.Code? = isOfRequest ? nil : .timedOut
        #expect(delegate.error?.code == expected)
        #expect(String(decoding: delegate.body, as: UTF8.self) == (isOfRequest ? "end" : ""))
    }
}
