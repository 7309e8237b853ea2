import CurlNetworking
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct FailureTests {
    @Test(
        arguments: [
            ("", URLError.Code.networkConnectionLost),
            ("garbage garbage\r\n\r\n", .cannotParseResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", .networkConnectionLost),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
                .networkConnectionLost
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
                .cannotParseResponse
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
                .cannotDecodeContentData
            ),
            ("HTTP/1.1 200 OK\r\nX: 1", .networkConnectionLost),
        ])
    func answersThatAreNone(text: String, code: URLError.Code) async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .send(text), .close]])
        await #expect { try await makeSession().data(from: server.url()) } throws: { error in
            guard let error = error as? URLError else { return false }
            #expect(error.code == code, "\(error)")
            #expect(error.failingURL == server.url())
            #expect(error.underlyingText?.isEmpty == false)
            return true
        }
    }

    @Test func aHeadWithoutEnd() async throws {
        let line = "X-Filler: " + String(repeating: "x", count: 900) + "\r\n"
        let server = try LoopbackServer(scripts: [
            [.readHead, .send("HTTP/1.1 200 OK\r\n")]
                + [LoopbackStep](repeating: .send(String(repeating: line, count: 100)), count: 100)
        ])
        await #expect { try await makeSession().data(from: server.url()) } throws: { error in
            guard let error = error as? URLError else { return false }
            return [.cannotParseResponse, .unknown, .networkConnectionLost].contains(error.code)
        }
    }

    @Test func aResetIsALostConnection() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .reset]])
        await #expect { try await makeSession().data(from: server.url()) } throws: {
            ($0 as? URLError)?.code == .networkConnectionLost
        }
    }

    @Test func nobodyListens() async throws {
        let port = try ReservedPort()
        defer { withExtendedLifetime(port) {} }
        let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
        await #expect { try await makeSession().data(from: url) } throws: {
            ($0 as? URLError)?.code == .cannotConnectToHost
        }
        let session = makeSession { $0.unixSocketPath = "/nonexistent/socket" }
        await #expect { try await session.data(from: url) } throws: {
            ($0 as? URLError)?.code == .cannotConnectToHost
        }
    }

    @Test func noSuchHost() async throws {
        let url = try #require(URL(string: "http://no-such-host.invalid/"))
        await #expect { try await makeSession().data(from: url) } throws: {
            ($0 as? URLError)?.code == .cannotFindHost
        }
    }

    @Test(arguments: [
        ("file:///etc/passwd", URLError.Code.unsupportedURL), ("ftp://a.test/", .unsupportedURL),
        ("/relative", .unsupportedURL), ("http:///nohost", .badURL),
    ])
    func addressesThatCannotBeLoaded(text: String, code: URLError.Code) async throws {
        let url = try #require(URL(string: text))
        await #expect { try await makeSession().data(from: url) } throws: {
            ($0 as? URLError)?.code == code
        }
    }

    @Test func aRequestWithoutAddressOrWithAForgedMethodFails() async throws {
        let server = try LoopbackServer { _ in [.answer()] }
        var request = URLRequest(url: server.url())
        request.httpMethod = "GET / HTTP/1.1\r\nX-Forged: 1\r\n\r\nGET"
        await #expect { try await makeSession().data(for: request) } throws: {
            ($0 as? URLError)?.code == .badURL
        }
        request.httpMethod = "GET"
        request.setValue("1", forHTTPHeaderField: "X Bad")
        await #expect { try await makeSession().data(for: request) } throws: {
            ($0 as? URLError)?.code == .badURL
        }
        request.url = nil
        await #expect { try await makeSession().data(for: request) } throws: {
            ($0 as? URLError)?.code == .unsupportedURL
        }
        #expect(server.connectionCount == 0)
    }

    // MARK: - Time

    @Test func theRequestTimerFiresWhenNothingComes() async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .stall]])
        var request = URLRequest(url: server.url())
        request.timeoutInterval = 0.25
        let clock = ContinuousClock()
        let start = clock.now
        await #expect { try await makeSession().data(for: request) } throws: {
            ($0 as? URLError)?.code == .timedOut
        }
        #expect(clock.now - start >= .milliseconds(240))
        await server.end()
    }

    /// Read off the timers themselves: a busy machine may keep any two bytes apart for longer than a test
    /// could wait.
    @Test func theRequestTimerRestartsOnEveryByteAndTheOtherDoesNot() async throws {
        let gates = (0..<3).map { _ in LoopbackGate() }
        let server = try LoopbackServer(scripts: [
            [
                .readRequest, .wait(gates[0]),
                .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nab"), .wait(gates[1]),
                .send("cd"), .wait(gates[2]), .send("ef"),
            ]
        ])
        let arrived = Signal()
        let delegate = RecordingDelegate { $0.data = { _, _ in arrived.add() } }
        let task = makeSession(delegate).dataTask(with: server.url())
        task.resume()
        await server.requests(atLeast: 1)
        var facts = [try #require(await engineFacts(of: task))]
        for (index, gate) in gates.dropLast().enumerated() {
            gate.open()
            await arrived.wait(for: index + 1)
            facts.append(try #require(await engineFacts(of: task)))
        }
        gates[2].open()
        await delegate.completion()
        #expect(delegate.error == nil)
        let requestDeadlines = try facts.map { try #require($0.requestDeadline) }
        #expect(requestDeadlines == requestDeadlines.sorted())
        #expect(Set(requestDeadlines).count == 3)
        #expect(Set(facts.map(\.resourceDeadline)).count == 1)
        #expect(facts[0].resourceDeadline != nil)
    }

    @Test func theResourceTimerDoesNot() async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
                .trickle(
                    [UInt8](repeating: 1, count: 100_000), pieceByteCount: 1,
                    every: .milliseconds(40)),
            ]
        ])
        let session = makeSession {
            $0.timeoutIntervalForRequest = 20
            $0.timeoutIntervalForResource = 0.4
        }
        await #expect { try await session.data(from: server.url()) } throws: {
            ($0 as? URLError)?.code == .timedOut
        }
    }

    @Test func aServerThatReadsNothingRunsIntoTheRequestTimer() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer(scripts: [[.wait(gate)]])
        let folder = try ScratchFolder()
        let file = try folder.put(makeBytes(40_000_000))
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        request.timeoutInterval = 0.4
        await #expect { try await makeSession().upload(for: request, fromFile: file) } throws: {
            ($0 as? URLError)?.code == .timedOut
        }
        gate.open()
    }
}
