import ClubServer
import Foundation
import Glibc

/// What a server answered, byte by byte.
struct TestReply: Sendable {
    let status: Int
    /// Names in lower case.
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A plain blocking socket: it shows exactly what the server does, and can do what no decent client
/// would.
final class TestConnection: @unchecked Sendable {  // each is used by one thread at a time
    struct Closed: Error {}

    private let descriptor: Int32
    private let host: String
    private var received: [UInt8] = []

    /// Runs blocking work on a thread of its own: on a queue's, a few that wait would hold up the
    /// tasks of every other test.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Swift.Result(catching: body))
            }
        }
    }

    /// No program that another test starts meanwhile gets it: the connection would outlive its end here.
    private static let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    init(to address: ClubServer.Address) throws {
        switch address {
        case .unixSocket(let path):
            host = "club"
            descriptor = socket(AF_UNIX, Self.kind, 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            let length = socklen_t(MemoryLayout<sockaddr_un>.size)
            let result = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, length)
                }
            }
            guard result == 0 else { throw Closed() }
        case .tcp(let port):
            host = "127.0.0.1:\(port)"
            descriptor = socket(AF_INET, Self.kind, 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, length)
                }
            }
            guard result == 0 else { throw Closed() }
        }
        // A server that never answers must fail a test, not hang it.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    private var isClosed = false

    func close() {
        if !isClosed { Glibc.close(descriptor) }
        isClosed = true
    }

    func request(
        _ method: String, _ path: String, _ headers: [(String, String)], _ body: [UInt8]
    ) throws {
        var text = "\(method) \(path) HTTP/1.1\r\n"
        if !headers.contains(where: { $0.0.lowercased() == "host" }) { text += "Host: \(host)\r\n" }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        let isFramed = headers.contains {
            ["content-length", "transfer-encoding"].contains($0.0.lowercased())
        }
        if !isFramed { text += "Content-Length: \(body.count)\r\n" }
        try send(Array((text + "\r\n").utf8) + body)
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Closed() }
            sent += count
        }
    }

    /// Sends what the kernel takes at once.
    ///
    /// - Throws: `Closed` when the server has ended the connection.
    func push(_ bytes: [UInt8]) throws {
        let count = bytes.withUnsafeBytes {
            Glibc.send(
                descriptor, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if count < 0, errno != EAGAIN { throw Closed() }
    }

    /// Reads one answer with its body.
    func readReply(to method: String = "POST") throws -> TestReply {
        let head = try readHead()
        let lines = head.split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] =
                parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, let status = Int(words[1]) else { throw Closed() }
        var length = headers["content-length"].flatMap { Int($0) } ?? 0
        if method == "HEAD" || status == 304 || status == 100 { length = 0 }
        while received.count < length { try receive() }
        let body = Array(received.prefix(length))
        received.removeFirst(length)
        return TestReply(status: status, headers: headers, body: body)
    }

    private func readHead() throws -> String {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = received.firstRange(of: end) {
                let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                received.removeSubrange(..<range.upperBound)
                return head
            }
            try receive()
        }
    }

    /// Waits until something has arrived.
    func waitForBytes() throws { if received.isEmpty { try receive() } }

    /// Waits until something has arrived on one of several.
    static func waitForBytes(onAnyOf connections: [TestConnection]) throws {
        var questions = connections.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&questions, nfds_t(questions.count), 60_000) > 0 else { throw Closed() }
    }

    /// Whether something has arrived that was not read, now.
    var hasBytes: Bool {
        if !received.isEmpty { return true }
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&question, 1, 0) > 0
    }

    /// Whether the server has closed the connection, now or after what it still sends.
    func readsEnd() throws -> Bool {
        do {
            while true { try receive() }
        } catch is Closed {
            return true
        }
    }

    private func receive() throws {
        let chunk = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        guard !chunk.isEmpty else { throw Closed() }
        received += chunk
    }
}
