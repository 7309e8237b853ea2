import Foundation
import Glibc

/// A blocking TCP connection to the server on 127.0.0.1.
final class BenchConnection {
    struct Closed: Error {}

    private let descriptor: Int32

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Closed() }
        var isOn: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
            socklen_t(MemoryLayout<Int32>.size))
        // A request without an answer is a failure of the server, and is counted.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends what the kernel takes at once.
    func push(_ bytes: [UInt8]) throws {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        if send(descriptor, bytes, bytes.count, flags) < 0, errno != EAGAIN { throw Closed() }
    }

    /// Sends a request and reads its answer.
    ///
    /// - Returns: The status.
    func exchange(_ request: [UInt8]) throws -> Int {
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw Closed()
        }
        var answer: [UInt8] = []
        var length: Int?
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { throw Closed() }
            answer += piece[..<count]
            if length == nil, let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
                let field = head.components(separatedBy: "content-length: ").dropFirst().first
                length = end.upperBound + (Int(field?.prefix { $0.isNumber } ?? "") ?? 0)
            }
            if let length, answer.count >= length {
                return Int(String(decoding: answer.prefix(12).suffix(3), as: UTF8.self)) ?? 0
            }
        }
    }
}
