import CLinux
import FlyingSocks
import FoundationEssentials
import Glibc

/// A listening socket.
struct Listener: Sendable {
    let socket: Socket
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
        return try make(sockaddr_un.unix(path: path), loop, path) { _ in
            // The folder around it is private already; this is for a socket elsewhere.
            chmod(path, 0o600)
            return .unixSocket(path)
        }
    }

    /// Listens on 127.0.0.1.
    ///
    /// - Parameter port: 0 for any free port.
    static func tcp(port: UInt16, loop: EventLoop) throws(ClubServerError) -> Listener {
        let address: sockaddr_in
        do {
            address = try .inet(ip4: "127.0.0.1", port: port)
        } catch {
            throw ClubServerError(.cannotListen, "127.0.0.1 is no address here.")
        }
        return try make(address, loop, "127.0.0.1:\(port)") { socket in
            if case .ip4(_, let port) = try? socket.sockname() { return .tcp(port: port) }
            return .tcp(port: port)
        }
    }

    private static func make<Address: SocketAddress>(
        _ address: Address, _ loop: EventLoop, _ name: String,
        _ describe: (Socket) -> ClubServer.Address
    ) throws(ClubServerError) -> Listener {
        var opened: Socket?
        do {
            let socket = try Socket(domain: Int32(Address.family))
            opened = socket
            _ = fcntl(socket.file.rawValue, F_SETFD, FD_CLOEXEC)
            try socket.setValue(true, for: .localAddressReuse)
            try socket.bind(to: address)
            try socket.listen()
            let description = describe(socket)
            try socket.setFlags(.nonBlocking)
            return Listener(socket: socket, loop: loop, address: description)
        } catch {
            try? opened?.close()
            if case SocketError.failed(_, EADDRINUSE, _) = error {
                throw ClubServerError(
                    .portInUse, "Something else listens on \(name) already. Choose another port.")
            }
            throw ClubServerError(
                .cannotListen, "The club cannot listen on \(name).", underlying: "\(error)")
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
            let descriptor = byteclub_accept(socket.file.rawValue)
            if descriptor >= 0 {
                if case .tcp = address {
                    // Otherwise a small response waits for the client's delayed acknowledgement of
                    // the one before: 40 ms each.
                    var isOn: Int32 = 1
                    setsockopt(
                        descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
                        socklen_t(MemoryLayout<Int32>.size))
                }
                return descriptor
            }
            switch errno {
            case EAGAIN: try await loop.wait(for: socket.file.rawValue, toWrite: false)
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
        shutdown(socket.file.rawValue, Int32(SHUT_RDWR))
        loop.interrupt(socket.file.rawValue)
    }

    func close() {
        try? socket.close()
        if case .unixSocket(let path) = address { unlink(path) }
    }
}
