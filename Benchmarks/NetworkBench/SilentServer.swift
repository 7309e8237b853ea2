import Glibc

/// Answers each connection once, after a silence.
struct SilentServer {
    let seconds: Double

    func run() -> Never {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isListening else {
            perror("SilentServer")
            exit(1)
        }
        print(UInt16(bigEndian: address.sin_port))
        fflush(nil)
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            usleep(UInt32(seconds * 1e6))
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
            _ = answer.withCString { send(connection, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            shutdown(connection, Int32(SHUT_WR))
            var rest = [UInt8](repeating: 0, count: 4096)
            while recv(connection, &rest, rest.count, 0) > 0 {}
            close(connection)
        }
    }
}
