import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// What is told of an upload is what the server has taken, not what waits in the kernel.
@Suite(.timeLimit(.minutes(1))) struct TakenBytesTests {
    @Test func anUploadIsNeverToldToBeFurtherThanTheServer() async throws {
        let server = try HesitantServer()
        let body = makeBytes(8_000_000)
        let furthest = Mutex<Int64>(0)
        let delegate = RecordingDelegate {
            $0.sent = { _, total in furthest.withLock { $0 = max($0, total) } }
        }
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        session.uploadTask(with: request, from: body).resume()
        // Nobody reads it, and the server's kernel takes no more.
        await eventually { server.waitingByteCount > 8_000 }
        #expect(furthest.withLock(\.self) <= server.capacity)
        server.readAll()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(furthest.withLock(\.self) == Int64(body.count))
        #expect(server.bodyByteCount == body.count)
    }
}

/// Takes one connection, and reads nothing of what comes until it is told to.
private final class HesitantServer: Sendable {
    let url: URL
    /// The kernel takes as much as this for the server before anybody reads, and TCP acknowledges it.
    let capacity: Int64 = 100_000
    private let listener: Int32
    private let port: UInt16
    private let gate = DispatchSemaphore(value: 0)
    private let received = Mutex(0)
    private let connection = Mutex<Int32>(-1)

    var bodyByteCount: Int { received.withLock(\.self) }

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
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
        try #require(isBound && listen(listener, 1) == 0)
        port = UInt16(bigEndian: address.sin_port)
        url = try #require(URL(string: "http://127.0.0.1:\(port)/photo"))
        let thread = Thread { [self] in serve() }
        thread.start()
    }

    deinit { close(listener) }

    func readAll() { gate.signal() }

    private func serve() {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        self.connection.withLock { $0 = connection }
        defer {
            self.connection.withLock { $0 = -1 }
            close(connection)
        }
        gate.wait()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var head: [UInt8] = []
        var (expected, count) = (Int.max, 0)
        while count < expected {
            let read = recv(connection, &buffer, buffer.count, 0)
            guard read > 0 else { return }
            if expected < Int.max {
                count += read
            } else {
                head += buffer[..<read]
                let text = String(decoding: head, as: UTF8.self)
                guard let end = text.range(of: "\r\n\r\n") else { continue }
                let length = text.lowercased().firstMatch(of: /content-length: (\d+)/)
                expected = length.flatMap { Int($0.1) } ?? 0
                count = head.count - text[..<end.upperBound].utf8.count
            }
            received.withLock { [count] in $0 = count }
        }
        let answer = Array("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n".utf8)
        send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
    }

    /// What has come and was not read.
    var waitingByteCount: Int {
        var count: Int32 = 0
        let connection = connection.withLock(\.self)
        guard connection >= 0, ioctl(connection, UInt(FIONREAD), &count) == 0 else { return 0 }
        return Int(count)
    }
}
