import CByteClubLinux
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// An idle connection that tells a server that it is in use.
///
/// The kernel closes it when the program ends, for whatever reason. It costs nothing while idle.
final class Lease: Sendable {
    private let descriptor: CInt
    /// Dispatch sources are thread-safe; they are just not declared `Sendable`.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let isOver = Mutex(false)

    /// - Parameter whenLost: Called once, on a private queue, when the server has closed the
    ///   connection or exited; not after ``release()``.
    /// - Returns: Nil when nothing accepts the connection.
    init?(at socketPath: String, whenLost: @escaping @Sendable () -> Void) {
        guard let descriptor = Self.connect(to: socketPath) else { return nil }
        self.descriptor = descriptor
        let queue = DispatchQueue(label: "byteclub.lease")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { @Sendable [weak self] in
            guard let self, receive() == .end else { return }
            if end() == .ended { whenLost() }
        }
        source.setCancelHandler { @Sendable in _ = close(descriptor) }
        source.activate()
    }

    deinit {
        release()
    }

    var isHeld: Bool { isOver.withLock { !$0 } }

    /// Whether a socket accepts connections.
    static func isAnswered(at path: String) -> Bool {
        // EAGAIN: its backlog is full.
        guard let descriptor = connect(to: path) else { return errno == EAGAIN }
        _ = close(descriptor)
        return true
    }

    /// Closes the connection: the server is no longer needed.
    func release() {
        _ = end()
    }
}

extension Lease {
    private enum EndResult {
        case ended
        case wasOver
    }

    private func end() -> EndResult {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        guard isFirst else { return .wasOver }
        source.cancel()
        return .ended
    }

    private enum Arrival {
        case nothing
        case end
    }

    /// Nothing is sent over the connection, so the only thing to read is its end.
    private func receive() -> Arrival {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT))
        let isOpen = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
        return isOpen ? .nothing : .end
    }

    /// - Returns: Nil on failure, with `errno` preserved.
    private static func connect(to path: String) -> CInt? {
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let reason = errno
            _ = close(descriptor)
            errno = reason
            return nil
        }
        return descriptor
    }
}
