import CLinux
import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// An idle connection by which a server knows that somebody uses it.
///
/// The kernel closes it when the program ends, however that comes about. While nothing
/// happens it costs nothing.
final class Lease: Sendable {
    private let descriptor: CInt
    /// Dispatch sources may be used from any thread; the library only does not say so.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let isOver = Mutex(false)

    /// - Parameter whenLost: Called once, on a queue of its own, when the server has closed
    ///   the connection or is gone; not after ``release()``.
    /// - Returns: Nil when nobody answers.
    init?(at socketPath: String, whenLost: @escaping @Sendable () -> Void) {
        guard let descriptor = Self.connect(to: socketPath) else { return nil }
        self.descriptor = descriptor
        let queue = DispatchQueue(label: "byteclub.lease")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { @Sendable [weak self] in
            guard let self, !readsMore() else { return }
            if end() { whenLost() }
        }
        source.setCancelHandler { @Sendable in _ = close(descriptor) }
        source.activate()
    }

    deinit {
        release()
    }

    var isHeld: Bool { isOver.withLock { !$0 } }

    /// Whether somebody takes connections at a socket.
    static func isAnswered(at path: String) -> Bool {
        guard let descriptor = connect(to: path) else { return errno == EAGAIN }  // a crowd waits there
        _ = close(descriptor)
        return true
    }

    /// Tells the server, by closing, that it is not needed any more.
    func release() {
        _ = end()
    }
}

extension Lease {
    /// True the first time.
    private func end() -> Bool {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { source.cancel() }
        return isFirst
    }

    /// Whether the connection lives on. Nothing is sent over it, so all there is to read is
    /// its end.
    private func readsMore() -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT))
        return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
    }

    /// - Returns: Nil when it fails, with `errno` as it was left.
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
