import Foundation

/// Sends raw bytes to a local port.
public enum LoopbackClient {
    /// Opens a connection without sending anything. The caller closes it.
    public static func connect(toPort port: UInt16) throws -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw POSIXError(.ECONNREFUSED)
        }
        return descriptor
    }

    /// Sends text and returns everything received until the other side closes. Blocks a thread of its
    /// own: the concurrency pool has few, and the server may need one.
    public static func send(_ text: String, toPort port: UInt16) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try talk(text, toPort: port) })
            }
        }
    }

    private static func talk(_ text: String, toPort port: UInt16) throws -> String {
        String(decoding: try exchange(Array(text.utf8), toPort: port), as: UTF8.self)
    }

    /// Sends bytes and returns everything received until the other side closes. Blocks the calling
    /// thread.
    public static func exchange(_ bytes: [UInt8], toPort port: UInt16) throws -> [UInt8] {
        let descriptor = try connect(toPort: port)
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // A server that rejects a body may close before reading it; the response says why.
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            answer += buffer[..<count]
        }
        return answer
    }
}
