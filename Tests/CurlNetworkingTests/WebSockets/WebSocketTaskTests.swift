import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// WebSockets over a real connection.
@Suite(.timeLimit(.minutes(1))) struct WebSocketTaskTests {
    @Test func messagesGoBothWaysAndEachSideCloses() async throws {
        let hello = serverFrame(0x81, Data("hello".utf8))
        let bytes = serverFrame(0x82, Data([1, 2, 3]))
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request, protocol: "chat")), .read(byteCount: 6 + 2), .send(hello),
                .read(byteCount: 6 + 3), .send(bytes), .read(byteCount: 6 + 2 + 3),
                .send(serverFrame(0x88, Data([0x03, 0xE8]))), .close,
            ]
        }
        let delegate = WebSocketRecorder()
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let task = session.webSocketTask(with: webSocketURL(server), protocols: ["chat", "irc"])
        task.resume()
        try await task.send(.string("hi"))
        guard case .string("hello") = try await task.receive() else {
            Issue.record("no text")
            return
        }
        try await task.send(.data(Data([9, 9, 9])))
        guard case .data(Data([1, 2, 3])) = try await task.receive() else {
            Issue.record("no bytes")
            return
        }
        task.cancel(with: .normalClosure, reason: Data("bye".utf8))
        await delegate.completed.wait()
        #expect(delegate.calls == ["open chat", "close 1000", "complete nil"])
        #expect(task.closeCode == .normalClosure)
        #expect(task.closeReason == Data("bye".utf8))
        #expect(task.state == .completed)
        #expect(task.error == nil)
        await #expect(throws: URLError.self) { try await task.receive() }
        await #expect(throws: URLError.self) { try await task.send(.string("late")) }

        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request["Upgrade"] == "websocket")
        #expect(request["Sec-WebSocket-Version"] == "13")
        #expect(request["Sec-WebSocket-Protocol"] == "chat, irc")
        #expect(request["Transfer-Encoding"] == nil)
        #expect(request["Content-Length"] == nil)
        #expect(task.originalRequest?.url == webSocketURL(server))
        #expect(task.currentRequest?.url == webSocketURL(server))
    }

    @Test func theServersCloseIsAnsweredAndReported() async throws {
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request)),
                .send(serverFrame(0x88, Data([0x03, 0xE9]) + Data("off".utf8))),
                .read(byteCount: 6 + 2), .close,
            ]
        }
        let (delegate, task) = start(server)
        await #expect(throws: URLError.self) { try await task.receive() }
        await delegate.completed.wait()
        #expect(delegate.calls == ["open nil", "close 1001", "complete nil"])
        #expect(task.closeCode == .goingAway)
        #expect(task.closeReason == Data("off".utf8))
    }

    @Test(arguments: [3000, 4000, 4999, 1012])
    func aCloseWithACustomCodeIsReportedAndAnsweredWithIt(code: Int) async throws {
        let wire = Data([UInt8(code >> 8), UInt8(code & 0xFF)])
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request)), .send(serverFrame(0x88, wire + Data("own".utf8))),
                .read(byteCount: 6 + 2), .close,
            ]
        }
        let (delegate, task) = start(server)
        await delegate.completed.wait()
        #expect(delegate.calls == ["open nil", "close \(code)", "complete nil"])
        #expect(task.closeCode.rawValue == code)
        #expect(task.closeCode != .abnormalClosure)
        #expect(task.closeReason == Data("own".utf8))
        let head = try #require(server.requests.first).head.utf8.count
        await server.bytes(atLeast: head + 8)
        #expect(clientFrame(server.received(on: 0).suffix(8)) == wire)
    }

    @Test(arguments: [3000, 4000, 4999])
    func aCustomCloseCodeIsSent(code: Int) async throws {
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request)), .read(byteCount: 6 + 2),
                .send(serverFrame(0x88, Data([UInt8(code >> 8), UInt8(code & 0xFF)]))), .close,
            ]
        }
        let (delegate, task) = start(server)
        await delegate.opened.wait()
        let own = try #require(URLSessionWebSocketTask.CloseCode(rawValue: code))
        task.cancel(with: own, reason: nil)
        await delegate.completed.wait()
        #expect(delegate.calls == ["open nil", "close \(code)", "complete nil"])
        #expect(task.closeCode == own)
        let head = try #require(server.requests.first).head.utf8.count
        await server.bytes(atLeast: head + 8)
        #expect(
            clientFrame(server.received(on: 0).suffix(8))
                == Data([UInt8(code >> 8), UInt8(code & 0xFF)]))
    }

    /// In a method that disconnects, and again in `deinit`.
    @Test func closingTwiceIsClosingOnce() async throws {
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request)), .read(byteCount: 6 + 2),
                .send(serverFrame(0x88, Data([0x03, 0xE9]))), .close,
            ]
        }
        let (delegate, task) = start(server)
        await delegate.opened.wait()
        task.cancel(with: .goingAway, reason: nil)
        task.cancel(with: .goingAway, reason: nil)
        await delegate.completed.wait()
        #expect(delegate.calls == ["open nil", "close 1001", "complete nil"])
    }

    @Test func whatItSendsIsNotABody() async throws {
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request)), .read(byteCount: 6 + 2), .read(byteCount: 6 + 2),
                .send(serverFrame(0x88, Data([0x03, 0xE8]))), .close,
            ]
        }
        let (delegate, task) = start(server)
        try await task.send(.string("hi"))
        task.cancel(with: .normalClosure, reason: nil)
        await delegate.completed.wait()
        #expect(delegate.sentCount == 0)
    }

    @Test func pingsAreAnsweredAutomaticallyAndOursGetTheirPong() async throws {
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request)), .send(serverFrame(0x89, Data("are you".utf8))),
                .read(byteCount: 6 + 7), .read(byteCount: 7),
                .send(serverFrame(0x8A, Data("1".utf8))),
                .stall,
            ]
        }
        let (_, task) = start(server)
        await server.bytes(atLeast: server.requests(atLeast: 1)[0].head.utf8.count + 13)
        try await task.sendPing()
        task.cancel()
    }

    @Test func aPongAnswersItsPingAndThoseBefore() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { request in
            [
                // A heartbeat nobody has asked for, before and between.
                .send(agree(to: request)), .send(serverFrame(0x8A, Data())),
                .read(byteCount: 7), .read(byteCount: 7), .read(byteCount: 7),
                .send(serverFrame(0x8A, Data("beat".utf8))),
                .send(serverFrame(0x8A, Data("2".utf8))), .wait(gate),
                .send(serverFrame(0x8A, Data("3".utf8))), .stall,
            ]
        }
        let (_, task) = start(server)
        let (first, second, third) = (Signal(), Signal(), Signal())
        task.sendPing { error in if error == nil { first.add() } }
        task.sendPing { error in if error == nil { second.add() } }
        task.sendPing { error in if error == nil { third.add() } }
        await first.wait()
        await second.wait()
        #expect(third.count == 0)
        gate.open()
        await third.wait()
        task.cancel()
    }

    @Test func aServerThatDoesNotAgreeFailsTheTask() async throws {
        let upgrade = "Connection: Upgrade"
        let heads: [@Sendable (LoopbackRequest) -> String] = [
            { _ in "HTTP/1.1 404 X\r\nContent-Length: 2\r\n\r\nno" },
            { _ in "HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nno" },
            { _ in
                "HTTP/1.1 101 X\r\nUpgrade: websocket\r\n\(upgrade)\r\n"
                    + "Sec-WebSocket-Accept: x\r\n\r\n"
            },
            { agree(to: $0).replacingOccurrences(of: upgrade + "\r\n", with: "") },
            { agree(to: $0).replacingOccurrences(of: upgrade, with: "Connection: keep-alive") },
            // Nobody has offered them.
            { agree(to: $0, protocol: "chess") },
            {
                agree(to: $0).replacingOccurrences(
                    of: upgrade, with: upgrade + "\r\nSec-WebSocket-Extensions: permessage-deflate")
            },
            // One at most.
            { agree(to: $0, protocol: "chat, irc") },
            { agree(to: $0, protocol: "chat\r\nSec-WebSocket-Protocol: irc") },
        ]
        for head in heads {
            let server = try LoopbackServer { request in [.send(head(request)), .stall] }
            let (delegate, task) = start(server, protocols: ["chat", "irc"])
            await #expect { try await task.receive() } throws: {
                ($0 as? URLError)?.code == .badServerResponse
            }
            await delegate.completed.wait()
            #expect((task.error as? URLError)?.code == .badServerResponse)
            #expect(delegate.calls == ["complete -1011"])
        }
    }

    @Test func aServerMayAgreeInOtherWords() async throws {
        let server = try LoopbackServer { request in
            let answer = agree(to: request, protocol: "irc").replacingOccurrences(
                of: "Connection: Upgrade", with: "Connection: keep-alive, upgrade")
            return [.send(answer), .stall]
        }
        let (delegate, task) = start(server, protocols: ["chat", "irc"])
        await delegate.opened.wait()
        #expect(delegate.calls == ["open irc"])
        task.cancel()
    }

    @Test(arguments: ["ws", "http"])
    func aRedirectIsFollowed(scheme: String) async throws {
        let target = try LoopbackServer { request in
            [
                .send(agree(to: request)), .read(byteCount: 6 + 2),
                .send(serverFrame(0x81, Data("moved".utf8))), .stall,
            ]
        }
        let location = "Location: \(scheme)://127.0.0.1:\(target.port)/new"
        let server = try LoopbackServer { _ in [.answer("302 Found", [location])] }
        let (delegate, task) = start(server)
        try await task.send(.string("hi"))
        guard case .string("moved") = try await task.receive() else {
            Issue.record("no text")
            return
        }
        #expect(server.requests.count == 1)
        #expect(target.requests.map(\.target) == ["/new"])
        #expect(task.currentRequest?.url == webSocketURL(target, "/new"))
        task.cancel()
        await delegate.completed.wait()
    }

    /// A delegate may answer with the scheme that the task shows.
    @Test func aRedirectOfTheDelegateIsFollowed() async throws {
        let target = try LoopbackServer { request in
            [
                .send(agree(to: request)), .send(serverFrame(0x81, Data("moved".utf8))), .stall,
            ]
        }
        let server = try LoopbackServer { _ in [.answer("302 Found", ["Location: /old"])] }
        let url = webSocketURL(target, "/new")
        let delegate = RecordingDelegate { hooks in
            hooks.redirect = { proposal in
                var next = proposal
                next.url = url
                return next
            }
        }
        let task = makeSession(delegate).webSocketTask(with: webSocketURL(server))
        task.resume()
        guard case .string("moved") = try await task.receive() else {
            Issue.record("no text")
            return
        }
        #expect(target.requests.map(\.target) == ["/new"])
        task.cancel()
        await delegate.completion()
    }

    @Test func aServerThatClosesInsteadOfAnsweringFailsTheTaskAtOnce() async throws {
        let server = try LoopbackServer { _ in [.close] }
        let (delegate, task) = start(server)
        await delegate.completed.wait()
        #expect((task.error as? URLError)?.code == .badServerResponse)
    }

    @Test func aConnectionThatEndsWithoutACloseFrameIsLost() async throws {
        let server = try LoopbackServer { request in [.send(agree(to: request)), .close] }
        let (delegate, task) = start(server)
        await #expect { try await task.receive() } throws: {
            ($0 as? URLError)?.code == .networkConnectionLost
        }
        await delegate.completed.wait()
        #expect(delegate.calls == ["open nil", "complete -1005"])
        #expect(task.closeCode == .invalid)
    }

    /// Neither what is queued nor the answer to its close frame gets out.
    @Test func aServerThatClosesAndStopsReadingIsNotWaitedForLong() async throws {
        let (queued, over) = (LoopbackGate(), LoopbackGate())
        defer { over.open() }
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request)), .wait(queued),
                .send(serverFrame(0x88, Data([0x03, 0xE9]))), .wait(over),
            ]
        }
        let (delegate, task) = start(server)
        await delegate.opened.wait()
        let failed = Signal()
        // More than the buffers of both sides can take.
        task.send(.data(Data(count: 30_000_000))) { error in if error != nil { failed.add() } }
        queued.open()
        await delegate.completed.wait()
        await failed.wait()
        #expect(delegate.calls == ["open nil", "close 1001", "complete nil"])
        #expect(task.closeCode == .goingAway)
        #expect(task.state == .completed)
    }

    @Test func aMessageThatIsTooLongClosesTheConnection() async throws {
        let server = try LoopbackServer { request in
            [
                .send(agree(to: request)), .send(serverFrame(0x82, Data(count: 101))),
                .read(byteCount: 6 + 2), .send(serverFrame(0x88, Data([0x03, 0xF1]))), .close,
            ]
        }
        let delegate = WebSocketRecorder()
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let task = session.webSocketTask(with: webSocketURL(server))
        task.maximumMessageSize = 100
        task.resume()
        await delegate.completed.wait()
        #expect(task.closeCode == .messageTooBig)
        #expect(delegate.calls == ["open nil", "close 1009", "complete nil"])
    }

    @Test func itTakesNoneOfTheHostsConnectionsAndNoTimeout() async throws {
        let server = try LoopbackServer { request in
            request.target == "/socket"
                ? [.send(agree(to: request)), .stall] : [.answer(body: "x")]
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        let delegate = WebSocketRecorder()
        let session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: nil)
        let task = session.webSocketTask(with: webSocketURL(server, "/socket"))
        task.resume()
        await delegate.opened.wait()
        let (data, _) = try await session.data(from: server.url())
        #expect(data == Data("x".utf8))
        task.cancel()
        await delegate.completed.wait()
        #expect((task.error as? URLError)?.code == .cancelled)
    }

    /// Threads send while another one closes: the close frame is the last, and each handler is called once.
    @Test func nothingFollowsTheCloseFrame() async throws {
        let opcodes = Mutex<[UInt8]>([])
        let server = try LoopbackServer(talking: { peer in
            guard let head = peer.readHead() else { return }
            peer.send(agree(toKey: key(of: head)))
            while let start = peer.read(2), peer.read(4 + Int(start[1] & 0x7F)) != nil {
                opcodes.withLock { $0.append(start[0]) }
                if start[0] == 0x88 { peer.send(serverFrame(0x88, Data([0x03, 0xE8]))) }
            }
        })
        let (delegate, task) = start(server)
        await delegate.opened.wait()
        let handled = Signal()
        DispatchQueue.concurrentPerform(iterations: 5) { thread in
            for index in 0..<50 {
                if thread == 0, index == 25 { task.cancel(with: .normalClosure, reason: nil) }
                task.send(.string("hi")) { _ in handled.add() }
            }
        }
        await delegate.completed.wait()
        await server.end()
        #expect(opcodes.withLock { $0.last } == 0x88)
        #expect(opcodes.withLock { $0.filter { $0 == 0x88 }.count } == 1)
        await handled.wait(for: 250)
        await engineIsDone()
        #expect(handled.count == 250)
        #expect(task.closeCode == .normalClosure)
    }

    private func start(
        _ server: LoopbackServer, protocols: [String] = []
    ) -> (WebSocketRecorder, URLSessionWebSocketTask) {
        let delegate = WebSocketRecorder()
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let task = session.webSocketTask(with: webSocketURL(server), protocols: protocols)
        task.resume()
        return (delegate, task)
    }
}

extension WebSocketTaskTests {
    /// WebSockets are HTTP/1.1, whatever the configuration prefers.
    @Test func aSessionOfHTTP2OpensOneOverHTTP1() async throws {
        let server = try LoopbackServer { peer in
            guard let head = peer.readHead() else { return }
            peer.send(agree(toKey: key(of: head)))
            peer.send([0x81, 2] + Array("hi".utf8))
            peer.readToEnd()
        }
        let session = makeSession { $0.httpVersion = .http2 }
        let task = session.webSocketTask(with: webSocketURL(server))
        task.resume()
        guard case .string(let text) = try await task.receive() else {
            Issue.record("no text")
            return
        }
        #expect(text == "hi")
        session.invalidateAndCancel()
    }
}

func webSocketURL(_ server: LoopbackServer, _ path: String = "/") -> URL {
    URL(string: "ws://127.0.0.1:\(server.port)\(path)") ?? server.url()
}

/// A server's yes.
func agree(to request: LoopbackRequest, protocol chosen: String? = nil) -> String {
    agree(toKey: request["Sec-WebSocket-Key"], protocol: chosen)
}

func agree(toKey key: String?, protocol chosen: String? = nil) -> String {
    let answer = key.flatMap { WebSocketHandshake.answer(to: $0) } ?? ""
    var lines = [
        "HTTP/1.1 101 Switching Protocols", "Upgrade: WebSocket", "Connection: Upgrade",
        "Sec-WebSocket-Accept: \(answer)",
    ]
    if let chosen { lines.append("Sec-WebSocket-Protocol: \(chosen)") }
    return (lines + ["", ""]).joined(separator: "\r\n")
}

/// The key in the head of a request.
private func key(of head: String) -> String? {
    let name = "sec-websocket-key: "
    let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name) }
    return line.map { String($0.dropFirst(name.count)) }
}

/// The payload of a client's short frame.
private func clientFrame(_ frame: ArraySlice<UInt8>) -> Data {
    let mask = Array(frame.dropFirst(2).prefix(4))
    return Data(frame.dropFirst(6).enumerated().map { $1 ^ mask[$0 & 3] })
}

final class WebSocketRecorder: URLSessionWebSocketDelegate {
    let opened = Signal()
    let completed = Signal()
    private let record = Mutex<[String]>([])

    private let sent = Mutex(0)

    var calls: [String] { record.withLock { $0 } }
    /// How often a sent body was reported to it.
    var sentCount: Int { sent.withLock { $0 } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        sent.withLock { $0 += 1 }
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol protocol: String?
    ) {
        record.withLock { $0.append("open " + (`protocol` ?? "nil")) }
        opened.add()
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        record.withLock { $0.append("close \(closeCode.rawValue)") }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let code = (error as? URLError).map { "\($0.errorCode)" } ?? "nil"
        record.withLock { $0.append("complete " + code) }
        completed.add()
    }
}
