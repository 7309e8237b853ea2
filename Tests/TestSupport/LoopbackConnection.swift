import Foundation
import Glibc
import Synchronization

/// One accepted connection, used only by its own thread.
final class LoopbackConnection {
    let index: Int
    private let descriptor: Int32
    private let core: LoopbackCore
    /// Received but not consumed yet.
    private var buffer: [UInt8] = []
    private(set) var isOpen = true

    init(_ descriptor: Int32, index: Int, core: LoopbackCore) {
        self.descriptor = descriptor
        self.index = index
        self.core = core
    }

    /// Plays steps in order. Returns whether the connection can serve another request.
    func play(_ steps: [LoopbackStep]) -> Bool {
        for step in steps {
            guard isOpen else { return false }
            play(step)
        }
        return isOpen
    }

    private func play(_ step: LoopbackStep) {
        switch step {
        case .readHead: _ = readHead()
        case .readRequest: if readRequest() != nil { noteDecision() }
        case .read(let byteCount): _ = take(byteCount)
        case .send(let bytes): send(bytes)
        case .trickle(let bytes, let pieceByteCount, let rest):
            for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
                Thread.sleep(forTimeInterval: rest / .seconds(1))
                guard isOpen else { return }
                send(Array(bytes[start..<min(start + pieceByteCount, bytes.count)]))
            }
        case .fill(let byte, let byteCount):
            let block = [UInt8](repeating: byte, count: min(byteCount, 64 << 10))
            var left = byteCount
            while left > 0, isOpen {
                send(left < block.count ? Array(block[..<left]) : block)
                left -= min(left, block.count)
            }
        case .wait(let gate): gate.wait()
        case .relay(let port): relay(to: port, goodbye: [])
        case .relayAndSend(let port, let bytes): relay(to: port, goodbye: bytes)
        case .stall: while receive() {}
        case .close: close()
        case .reset:
            guard isOpen else { return }  // or the number may be of another socket
            var atOnce = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
            close()
        }
    }

    private func relay(to port: UInt16, goodbye: [UInt8]) {
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard other >= 0 else { return close() }
        defer { Glibc.close(other) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { return close() }
        var block = [UInt8](repeating: 0, count: 64 << 10)
        var states = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&states, 2, -1) > 0 || errno == EINTR {
            for (from, to) in [(0, 1), (1, 0)] where states[from].revents != 0 {
                let count = recv(states[from].fd, &block, block.count, 0)
                guard count > 0,
                    Glibc.send(states[to].fd, block, count, Int32(MSG_NOSIGNAL)) == count
                else {
                    if from == 1 { send(goodbye) }
                    return close()
                }
            }
        }
    }

    // MARK: - Reading

    /// The response to the last request is decided.
    func noteDecision() { core.change { $0.decided += 1 } }

    /// The next request; nil when the client has closed the connection.
    func readRequest() -> LoopbackRequest? {
        guard let head = readHead() else { return nil }
        let bare = LoopbackRequest(connection: index, head: head, body: [])
        var body: [UInt8] = []
        if bare["Transfer-Encoding"]?.lowercased() == "chunked" {
            guard let chunks = readChunks() else { return nil }
            body = chunks
        } else if let count = bare["Content-Length"].flatMap(Int.init) {
            if bare["Expect"]?.lowercased() == "100-continue" {
                send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            }
            guard let bytes = take(count) else { return nil }
            body = bytes
        }
        let request = LoopbackRequest(connection: index, head: head, body: body)
        core.change { $0.requests.append(request) }
        return request
    }

    func readHead() -> String? {
        takeThrough("\r\n\r\n").map { String(decoding: $0, as: UTF8.self) }
    }

    private func readChunks() -> [UInt8]? {
        var body: [UInt8] = []
        while let line = takeThrough("\r\n") {
            let size = String(decoding: line.prefix { $0 != 0x0D && $0 != 0x3B }, as: UTF8.self)
            guard let count = Int(size, radix: 16) else { return nil }
            if count == 0 { return readTrailers() == nil ? nil : body }
            guard let chunk = take(count), take(2) != nil else { return nil }
            body += chunk
        }
        return nil
    }

    private func readTrailers() -> [[UInt8]]? {
        var lines: [[UInt8]] = []
        while let line = takeThrough("\r\n") {
            if line.count == 2 { return lines }
            lines.append(line)
        }
        return nil
    }

    private func takeThrough(_ mark: String) -> [UInt8]? {
        let mark = Array(mark.utf8)
        while true {
            if let range = buffer.firstRange(of: mark) { return take(range.upperBound) }
            guard receive() else { return nil }
        }
    }

    func take(_ count: Int) -> [UInt8]? {
        while buffer.count < count {
            guard receive() else { return nil }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func receive() -> Bool {
        guard isOpen else { return false }
        var block = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &block, block.count, 0)
        guard count > 0 else {
            close()
            return false
        }
        buffer += block[..<count]
        core.change { $0.received[index] += block[..<count] }
        return true
    }

    // MARK: - Sending and closing

    private func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, isOpen {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return close() }
            rest = rest.dropFirst(count)
        }
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        core.close(descriptor, index: index)
    }
}
