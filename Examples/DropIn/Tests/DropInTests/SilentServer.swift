import Foundation

/// A port that takes connections and never answers.
final class SilentServer {
    private let descriptor: Int32
    let port: UInt16

    init?() {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { return nil }
    }

    deinit {
        close(descriptor)
    }

    var url: URL { URL(string: "http://127.0.0.1:\(port)/")! }
}
