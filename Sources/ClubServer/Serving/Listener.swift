import CByteClubLinux
import FoundationEssentials
import Glibc

/// A listening socket.
struct Listener: Sendable {
    private let descriptor: Int32
    let loop: EventLoop
    let address: ClubServer.Address

    /// Listens on a Unix socket. Removes a stale one at its path: the caller holds the lock, so no
    /// server uses it.
    static func unix(path: String, loop: EventLoop) throws(ClubServerError) -> Listener {
        guard path.utf8.count <= RuntimePaths.socketPathByteLimit else {
            throw ClubServerError(
                .pathTooLong,
                "The socket's path has \(path.utf8.count) bytes and may have "
                    + "\(RuntimePaths.socketPathByteLimit): \(path)")
        }
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK else {
                throw ClubServerError(
                    .cannotListen, "There is something else than a socket at \(path).")
            }
            unlink(path)
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = try listen(at: address, AF_UNIX, path)
        // The folder around it is private already; this is for a socket elsewhere.
        chmod(path, 0o600)
        return Listener(descriptor: descriptor, loop: loop, address: .unixSocket(path))
    }

    /// Listens on 127.0.0.1.
    ///
    /// - Parameter port: 0 for any free port.
    static func tcp(port: UInt16, loop: EventLoop) throws(ClubServerError) -> Listener {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        address.sin_port = port.bigEndian
        let descriptor = try listen(at: address, AF_INET, "127.0.0.1:\(port)")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(descriptor, $0, &length)
            }
        }
        return Listener(
            descriptor: descriptor, loop: loop,
            address: .tcp(port: UInt16(bigEndian: address.sin_port)))
    }

    /// - Parameter address: A `sockaddr_un` or a `sockaddr_in`.
    /// - Returns: A socket that no other program inherits, and that never blocks.
    private static func listen<Address>(
        at address: Address, _ family: Int32, _ name: String
    ) throws(ClubServerError) -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(family, Int32(kind), 0)
        do throws(SystemError) {
            try SystemError.check("socket", descriptor)
            // The connections of a server that has just ended keep its port for a minute.
            var isOn: Int32 = 1
            try SystemError.check(
                "setsockopt",
                setsockopt(
                    descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn,
                    socklen_t(MemoryLayout<Int32>.size)))
            let isBound = withUnsafePointer(to: address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
            try SystemError.check("bind", isBound)
            try SystemError.check("listen", Glibc.listen(descriptor, SOMAXCONN))
            return descriptor
        } catch {
            if descriptor >= 0 { _ = Glibc.close(descriptor) }
            if error.code == EADDRINUSE {
                throw ClubServerError(
                    .portInUse, "Something else listens on \(name) already. Choose another port.")
            }
            throw ClubServerError(.cannotListen, "The club cannot listen on \(name).", error)
        }
    }

    /// Waits for the next client.
    ///
    /// - Parameter waitForRoom: Called when the process has no descriptor left; returns when a retry may
    ///   succeed.
    /// - Returns: The client's descriptor, which the caller closes; nil once ``stopAccepting()`` was
    ///   called.
    func accept(waitForRoom: () async throws -> Void) async throws -> Int32? {
        while true {
            let client = byteclub_accept(descriptor)
            if client >= 0 {
                if case .tcp = address {
                    // Otherwise a small response waits for the client's delayed acknowledgement of
                    // the one before: 40 ms each.
                    var isOn: Int32 = 1
                    setsockopt(
                        client, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
                        socklen_t(MemoryLayout<Int32>.size))
                }
                return client
            }
            switch errno {
            case EAGAIN: try await loop.wait(for: descriptor, toWrite: false)
            // The client disconnected before it was accepted; the next may not have.
            case ECONNABORTED, EINTR, EPROTO, ENETDOWN, EHOSTUNREACH: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: try await waitForRoom()
            // The error for a socket that was shut down.
            case EINVAL: return nil
            case let code: throw SystemError("accept", code: code)
            }
        }
    }

    /// Stops accepting: the kernel rejects new connections at once.
    func stopAccepting() {
        if case .unixSocket(let path) = address { unlink(path) }
        shutdown(descriptor, Int32(SHUT_RDWR))
        loop.interrupt(descriptor)
    }

    func close() {
        _ = Glibc.close(descriptor)
        if case .unixSocket(let path) = address { unlink(path) }
    }
}
