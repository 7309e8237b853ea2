import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// What a session reports of its transfers, and what it keeps to itself.
@Suite(.timeLimit(.minutes(1))) struct TraceTests {
    /// Collects events; a task's last one is its completion.
    private final class Listener: Sendable {
        private let events = Mutex<[URLSessionTraceEvent]>([])
        private let completions = Signal()

        var handler: @Sendable (URLSessionTraceEvent) -> Void {
            { [self] event in
                events.withLock { $0.append(event) }
                if case .taskCompleted = event.kind { completions.add() }
            }
        }

        func wait() async -> [URLSessionTraceEvent] {
            await completions.wait()
            return events.withLock { $0 }
        }
    }

    private func makeSession(_ listener: Listener) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.traceHandler = listener.handler
        return URLSession(configuration: configuration)
    }

    @Test func tellsOfEachAttemptOfATask() async throws {
        let server = try LoopbackServer { request in
            request.target.hasPrefix("/a")
                ? [.answer("302 Found", ["Location: /b?code=hidden"], body: "")]
                : [.answer(body: "there")]
        }
        let listener = Listener()
        _ = try await makeSession(listener).data(from: server.url("/a?key=hidden"))
        let events = await listener.wait()
        #expect(events.map(\.attempt) == [1, 1, 2, 2, 2])
        #expect(events.map(\.request.url?.path) == ["/a", "/a", "/b", "/b", "/b"])
        #expect(Set(events.map(\.taskIdentifier)).count == 1)
        guard case .attemptEnded(let metrics, failure: nil) = events.dropFirst(3).first?.kind else {
            Issue.record("\(events)")
            return
        }
        #expect((metrics.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(metrics.isReusedConnection)
        #expect(metrics.countOfResponseBodyBytesReceived == 5)
        #expect(!events.map(\.description).joined().contains("hidden"))
    }

    @Test func secretsAreBlottedOut() async throws {
        let server = try LoopbackServer { _ in
            [
                .answer(
                    "200 OK", ["Set-Cookie: a=hidden", "X-Auth-Token: hidden", "X-Open: shown"],
                    body: "hidden")
            ]
        }
        let listener = Listener()
        var request = URLRequest(
            url: try #require(
                URL(string: "http://user:hidden@127.0.0.1:\(server.port)/x?q=hidden#hidden")))
        request.httpMethod = "POST"
        request.httpBody = Data("hidden".utf8)
        for name in ["Authorization", "Cookie", "X-Api-Key", "Dropbox-API-Access-Token"] {
            request.setValue("hidden", forHTTPHeaderField: name)
        }
        request.setValue("http://a.test/?hidden", forHTTPHeaderField: "Referer")
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        _ = try await makeSession(listener).data(for: request)
        let events = await listener.wait()
        for event in events {
            #expect(!event.description.contains("hidden"))
            #expect(!event.request.debugDescription.contains("hidden"))
            #expect(event.request.httpBody == nil)
            let values = (event.request.allHTTPHeaderFields ?? [:]).values.joined()
            #expect(!values.contains("hidden"))
            guard case .attemptEnded(let metrics, _) = event.kind,
                let response = metrics.response as? HTTPURLResponse
            else { continue }
            #expect(response.value(forHTTPHeaderField: "Set-Cookie") == "<8 bytes>")
            #expect(response.value(forHTTPHeaderField: "X-Auth-Token") == "<6 bytes>")
            #expect(response.value(forHTTPHeaderField: "X-Open") == "shown")
            let shown = "\(response.url?.absoluteString ?? "")\(metrics.request)"
            #expect(!shown.contains("hidden"))
        }
        #expect(events.first?.description.contains("Content-Type: text/plain") == true)
    }

    @Test func saysWhyAnAttemptFailed() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .close]])
        let listener = Listener()
        _ = try? await makeSession(listener).data(for: post(server.url()))
        let events = await listener.wait()
        guard case .attemptEnded(_, failure: let failure?) = events.dropFirst().first?.kind else {
            Issue.record("\(events)")
            return
        }
        #expect(!failure.isEmpty)
        guard case .taskCompleted(let error?) = events.last?.kind else {
            Issue.record("\(events)")
            return
        }
        #expect((error as? URLError)?.code == .networkConnectionLost)
        #expect(events.last?.description.contains("error -1005") == true)
    }

    @Test func aCancelledTaskIsToldOfToo() async throws {
        let listener = Listener()
        let url = try #require(URL(string: "http://a.test/"))
        let task = makeSession(listener).dataTask(with: url) { _, _, _ in }
        task.taskDescription = "mine"
        task.cancel()
        let events = await listener.wait()
        #expect(events.count == 1)
        #expect(events.first?.taskDescription == "mine")
    }

    /// Ends the program with far more lines to write than can have been written.
    @Test func aProgramThatEndsHasAllLinesInTheFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        await #expect(processExitsWith: .success) { [path = file.path as String] in
            setenv("CURLNETWORKING_TRACE", path, 1)
            let tracer = try #require(Tracer.environment)
            let request = URLRequest(url: try #require(URL(string: "http://a.test/")))
            for number in 1...200 {
                tracer.post(
                    URLSessionTraceEvent(
                        kind: .attemptStarted, date: Date(), sessionNumber: 1,
                        taskIdentifier: number, taskDescription: nil, attempt: 1, request: request))
            }
            exit(EXIT_SUCCESS)
        }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 200)
        #expect(lines.last?.contains(" 1.200 ") == true)
    }

    private func post(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("a".utf8)
        return request
    }
}
