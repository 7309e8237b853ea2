import Foundation

/// Unix socket calls.
enum UnixSocket {
    static func listen(at path: String) throws -> Int32 {
        let descriptor = try make()
        let result = withAddress(of: path) { bind(descriptor, $0, $1) }
        guard result == 0, Glibc.listen(descriptor, 64) == 0 else {
            close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        return descriptor
    }

    static func connect(to path: String) throws -> Int32 {
        let descriptor = try make()
        guard withAddress(of: path, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            throw POSIXError(.ECONNREFUSED)
        }
        return descriptor
    }

    static func accept(on listener: Int32) -> Int32 {
        LoopbackListener.acceptPrivately(listener)
    }

    /// Blocks until everything is written; false when the other end has closed.
    static func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func make() throws -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        return descriptor
    }

    private static func withAddress<Result>(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
