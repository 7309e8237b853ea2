import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// What is reported of an upload is what the server has taken, not what waits in this machine's kernel.
@Suite(.timeLimit(.minutes(1))) struct TakenBytesTests {
    @Test func anUploadIsNeverReportedToBeFurtherThanTheServer() async throws {
        let server = try HesitantServer()
        defer { server.stop() }
        let body = makeBytes(3_000_000)
        let reports = Mutex(0)
        let excess = Mutex<Int64>(0)
        let delegate = RecordingDelegate {
            $0.sent = { _, total in
                // Its kernel takes something before it has accepted the connection.
                guard server.connectionCount > 0 else { return }
                let ahead = total - Int64(server.arrivedByteCount)
                excess.withLock { $0 = max($0, ahead) }
                reports.withLock { $0 += 1 }
            }
        }
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.uploadTask(with: server.put(), from: body)
        task.resume()
        // Nobody reads it, the server's kernel takes no more, and ours holds a lot.
        await eventually { task.status.withLock(\.counts.handedOver) > 100_000 }
        #expect(task.countOfBytesSent < 64_000)
        for step in 1...20 {
            server.read(step * 100_000)
            await eventually { server.arrivedByteCount >= step * 100_000 }
            await delegate.record { ($0.progress.last?[1] ?? 0) > Int64(step - 1) * 100_000 }
        }
        server.readAll()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(task.countOfBytesSent == Int64(body.count))
        #expect(excess.withLock(\.self) <= 0)
        #expect(reports.withLock(\.self) > 20)
    }
}

/// Reads as much as it is told to, and nothing before.
private final class HesitantServer: Sendable {
    private struct State {
        var connection: Int32 = -1
        var connectionCount = 0
        var head: [UInt8] = []
        var readByteCount = 0
        var goal = 0
        var resets = false
        var isListening = true

        /// Whether the request has come to its end.
        var isWhole: Bool {
            let text = String(decoding: head, as: UTF8.self)
            guard let end = text.firstRange(of: "\r\n\r\n"),
                let length = text.lowercased().firstMatch(of: /content-length: (\d+)/)
            else { return false }
            let headCount = text[..<end.upperBound].utf8.count
            return readByteCount >= headCount + (Int(length.1) ?? 0)
        }
    }

    private let listener: Int32
    private let port: UInt16
    private let state = Mutex(State())

    init() throws {
        let listener = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        // Accepted connections inherit it.
        var size: Int32 = 16 << 10
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, count) == 0 && getsockname(listener, $0, &count) == 0
            }
        }
        try #require(isBound && listen(listener, 4) == 0)
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in serve() }.start()
    }

    func put(_ method: String = "PUT") -> URLRequest {
        guard let url = URL(string: "http://127.0.0.1:\(port)/photo") else {
            preconditionFailure("a bad port")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        return request
    }

    var connectionCount: Int { state.withLock(\.connectionCount) }

    /// What has come, head included, read or not. Never less than what the client's kernel knows of.
    var arrivedByteCount: Int {
        state.withLock { state in
            var waiting: Int32 = 0
            if state.connection >= 0 { _ = ioctl(state.connection, UInt(FIONREAD), &waiting) }
            return state.readByteCount + Int(waiting)
        }
    }

    func read(_ byteCount: Int) { state.withLock { $0.goal = byteCount } }

    func readAll() { read(.max) }

    /// Accepts no more.
    func stop() {
        state.withLock { state in
            // Once it is closed, the number may be of another test's socket.
            if state.isListening { shutdown(listener, Int32(SHUT_RDWR)) }
        }
    }

    func reset() { state.withLock { $0.resets = true } }

    private func serve() {
        defer {
            state.withLock { state in
                state.isListening = false
                close(listener)
            }
        }
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            state.withLock { state in
                state = State(connectionCount: state.connectionCount + 1, goal: state.goal)
                state.connection = connection
            }
            let isOver = converse(on: connection)
            state.withLock { $0.connection = -1 }
            close(connection)
            if isOver { return }
        }
    }

    /// - Returns: Whether it was the last conversation.
    private func converse(on connection: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let (wanted, resets) = state.withLock { ($0.goal - $0.readByteCount, $0.resets) }
            if resets {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    connection, SOL_SOCKET, SO_LINGER, &linger,
                    socklen_t(MemoryLayout<linger>.size))
                return false
            }
            var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard wanted > 0, poll(&entry, 1, 10) > 0 else {
                if wanted <= 0 { poll(nil, 0, 2) }
                continue
            }
            let (count, isWhole) = state.withLock { state in
                let count = recv(connection, &buffer, min(buffer.count, wanted), 0)
                guard count > 0 else { return (count, false) }
                state.readByteCount += count
                if state.head.count < 4096 { state.head += buffer[..<count].prefix(4096) }
                return (count, state.isWhole)
            }
            guard count > 0 else { return true }
            if isWhole {
                let answer = Array("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".utf8)
                send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                return true
            }
        }
    }
}
