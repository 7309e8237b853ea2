import Dispatch
import FoundationEssentials
import Glibc

/// A small web service on this computer, for a first look: a list of courses, their pages, and one page for
/// those who log in. All on the main queue; an answer is at most a few kilobytes.
@MainActor final class DemoServer {
    let url: URL
    private let source: any DispatchSourceRead
    private var connections: [CInt: any DispatchSourceRead] = [:]
    private var requests: [CInt: [UInt8]] = [:]

    init() throws(Failure) {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                listener >= 0 && bind(listener, address, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isOpen,
            let url = URL(string: "http://127.0.0.1:\(address.sin_port.bigEndian)/courses.json")
        else {
            throw Failure(
                sentence:
                    "The demonstration cannot listen on this computer: \(String(cString: strerror(errno)))."
            )
        }
        self.url = url
        source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: .main)
        source.setCancelHandler { @Sendable in close(listener) }
        source.setEventHandler { @Sendable [weak self] in
            MainActor.assumeIsolated { self?.accept(from: listener) }
        }
        source.activate()
    }

    func stop() {
        source.cancel()
        for connection in Array(connections.keys) { end(connection) }
    }

    private func accept(from listener: CInt) {
        let connection = Glibc.accept(listener, nil, nil)
        guard connection >= 0 else { return }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        let source = DispatchSource.makeReadSource(fileDescriptor: connection, queue: .main)
        source.setCancelHandler { @Sendable in close(connection) }
        source.setEventHandler { @Sendable [weak self] in
            MainActor.assumeIsolated { self?.read(from: connection) }
        }
        connections[connection] = source
        requests[connection] = []
        source.activate()
    }

    private func read(from connection: CInt) {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(connection, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        let request = (requests[connection] ?? []) + buffer.prefix(max(0, count))
        guard count > 0, request.count <= 32_768 else { return end(connection) }
        requests[connection] = request
        let head = String(decoding: request, as: UTF8.self)
        guard head.contains("\r\n\r\n") else { return }
        let answer = Array(DemoPages.answer(to: head).utf8)
        _ = send(connection, answer, answer.count, CInt(MSG_NOSIGNAL))
        end(connection)
    }

    private func end(_ connection: CInt) {
        requests[connection] = nil
        connections.removeValue(forKey: connection)?.cancel()
    }
}
