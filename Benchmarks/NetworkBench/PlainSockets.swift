import BenchMeter
import Glibc

/// The cases on plain sockets and nothing else: what the kernel and the server leave to be won.
///
/// It knows this benchmark's server: a small answer comes in one piece, and who asks for it finds the
/// end of a large one in the end of the connection.
struct PlainSockets {
    let port: UInt16
    let folder: String

    private static let bufferByteCount = 512 << 10

    /// nil for a case that would say nothing.
    func run(_ name: String) -> String? {
        exchangeSmall(1, connections: 1)
        let meter = Meter()
        switch name {
        case "discard":
            receiveBig { _ in }
        case "memory":
            receiveBigToMemory()
        case "download":
            let file = open("\(folder)/downloaded", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            receiveBig { check(write(file, $0.baseAddress, $0.count)) }
            close(file)
        case "upload":
            sendBig()
        case "single", "many":
            exchangeSmall(5000, connections: name == "single" ? 1 : 6)
        default:
            return nil
        }
        return meter.report()
    }

    private func receiveBig(_ take: (UnsafeRawBufferPointer) -> Void) {
        let connection = connectToServer()
        say("GET /big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", on: connection)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.bufferByteCount, alignment: 4096)
        while case let count = check(recv(connection, buffer.baseAddress, buffer.count, 0)),
            count > 0
        {
            take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        buffer.deallocate()
        close(connection)
    }

    private func receiveBigToMemory() {
        let connection = connectToServer()
        say("GET /big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", on: connection)
        let answer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: bigByteCount + 4096, alignment: 4096)
        var end = 0
        while case let count = check(
            recv(connection, answer.baseAddress.map { $0 + end }, answer.count - end, 0)), count > 0
        {
            end += count
        }
        answer.deallocate()
        close(connection)
    }

    private func sendBig() {
        let connection = connectToServer()
        say(
            "PUT /put/big HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bigByteCount)\r\n\r\n",
            on: connection)
        let file = open("\(folder)/big", O_RDONLY)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.bufferByteCount, alignment: 4096)
        while case let count = check(read(file, buffer.baseAddress, buffer.count)), count > 0 {
            var sent = 0
            while sent < count {
                sent += check(
                    send(
                        connection, buffer.baseAddress.map { $0 + sent }, count - sent,
                        Int32(MSG_NOSIGNAL)))
            }
        }
        check(recv(connection, buffer.baseAddress, buffer.count, 0))
        buffer.deallocate()
        close(file)
        close(connection)
    }

    private func exchangeSmall(_ total: Int, connections count: Int) {
        var connections = (0..<count).map { _ in
            pollfd(fd: connectToServer(), events: Int16(POLLIN), revents: 0)
        }
        var asked = 0
        var answered = 0
        func ask(on connection: Int32) {
            guard asked < total else { return }
            asked += 1
            say("GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n", on: connection)
        }
        for connection in connections { ask(on: connection.fd) }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) { buffer in
            while answered < total {
                check(Int(poll(&connections, nfds_t(count), -1)))
                for connection in connections where connection.revents != 0 {
                    check(recv(connection.fd, buffer.baseAddress, buffer.count, 0))
                    answered += 1
                    ask(on: connection.fd)
                }
            }
        }
        for connection in connections { close(connection.fd) }
    }

    private var bigByteCount: Int {
        var facts = stat()
        check(Int(stat("\(folder)/big", &facts)))
        return Int(facts.st_size)
    }

    private func connectToServer() -> Int32 {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, size)
            }
        }
        check(Int(result))
        return connection
    }

    private func say(_ text: String, on connection: Int32) {
        check(text.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) })
    }

    @discardableResult
    private func check(_ result: Int) -> Int {
        guard result >= 0 else {
            perror("PlainSockets")
            exit(1)
        }
        return result
    }
}
