import CByteClubCurl
import FoundationEssentials
import CurlNetworkingPlatform

/// The unix socket the helper listens on.
enum BackgroundSocket {
    /// In bytes, without the terminating NUL.
    static let longestPath = 107

    /// nil when no process listens there.
    static func connect(to path: String) -> Int32? {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        guard var address = address(of: path),
            with(&address, { Glibc.connect(descriptor, $0, $1) }) == 0
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Listens at a path. A stale socket there is removed.
    static func listen(at path: String) throws(URLError) -> Int32 {
        guard var address = address(of: path) else {
            throw URLError(.cannotCreateFile, underlyingText: "\(path) is too long for a socket")
        }
        let flags =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { throw AtomicFile.failure(.cannotCreateFile, path) }
        unlink(path)
        guard with(&address, { bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0,
            Glibc.listen(descriptor, 64) == 0
        else {
            let error = AtomicFile.failure(.cannotCreateFile, path)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// nil when no connection is waiting.
    static func accept(on listener: Int32) -> Int32? {
        while true {
            let descriptor = byteclub_take_connection(listener)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR && errno != ECONNABORTED { return nil }
        }
    }

    private static func address(of path: String) -> sockaddr_un? {
        guard path.utf8.count <= longestPath else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return address
    }

    private static func with(
        _ address: inout sockaddr_un, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
