import Dispatch
public import FoundationEssentials
import Glibc

/// A small web site on this computer, for demonstrations: a function answers every request. Runs on the main
/// queue, idle without requests.
@MainActor public final class LoopbackSite {
    /// Its root.
    public let url: URL
    private let source: any DispatchSourceRead
    private let answer: (Request) -> Answer
    private var connections: [CInt: any DispatchSourceRead] = [:]
    private var requests: [CInt: [UInt8]] = [:]

    /// A request without its body.
    public struct Request {
        /// Without the query.
        public let path: String
        private let lines: [Substring]

        init(head: String) {
            lines = head.split(separator: "\r\n")
            let target = lines.first?.split(separator: " ").dropFirst().first ?? "/"
            path = String(target.prefix { $0 != "?" })
        }

        /// The first value of a field; case-insensitive.
        public subscript(name: String) -> String? {
            let start = name.lowercased() + ":"
            guard let line = lines.dropFirst().first(where: { $0.lowercased().hasPrefix(start) })
            else { return nil }
            return String(line.dropFirst(start.count).drop { $0 == " " })
        }
    }

    /// A response; its connection is closed afterwards.
    public struct Answer {
        let bytes: [UInt8]

        /// - Parameters:
        ///   - fields: Complete lines, besides type and length.
        ///   - body: At most 64 KB.
        public init(_ status: String, type: String, fields: [String] = [], body: [UInt8]) {
            let lines =
                ["HTTP/1.1 \(status)", "Content-Type: \(type)"] + fields
                + ["Content-Length: \(body.count)", "Connection: close", "", ""]
            bytes = Array(lines.joined(separator: "\r\n").utf8) + body
        }
    }

    /// - Throws: `LoopbackSiteError` if listening is not possible.
    public init(answer: @escaping (Request) -> Answer) throws(LoopbackSiteError) {
        self.answer = answer
        let kind = [SOCK_STREAM, SOCK_CLOEXEC, SOCK_NONBLOCK].reduce(0) { $0 | CInt($1.rawValue) }
        let listener = socket(AF_INET, kind, 0)
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
        guard isOpen, let url = URL(string: "http://127.0.0.1:\(address.sin_port.bigEndian)/")
        else {
            throw LoopbackSiteError(reason: String(cString: strerror(errno)))
        }
        self.url = url
        source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: .main)
        source.setCancelHandler { @Sendable in close(listener) }
        source.setEventHandler { @Sendable [weak self] in
            MainActor.assumeIsolated { self?.accept(from: listener) }
        }
        source.activate()
    }

    public func stop() {
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
        let answer = answer(Request(head: head)).bytes
        _ = send(connection, answer, answer.count, CInt(MSG_NOSIGNAL))
        end(connection)
    }

    private func end(_ connection: CInt) {
        requests[connection] = nil
        connections.removeValue(forKey: connection)?.cancel()
    }
}

/// Why a site could not be opened.
public struct LoopbackSiteError: Error {
    public let reason: String
}
