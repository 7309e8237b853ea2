import Foundation
import Glibc
import Synchronization

/// A port of this machine that leads to another one, until it is cut off, and again when it is joined.
///
/// Cut off, it refuses connections as a machine does on which no server runs.
public final class ConnectionSwitch: Sendable {
    public let port: UInt16
    private let target: UInt16
    private let reserved: ReservedPort
    private let state = Mutex(State())

    private struct State {
        var listener: Int32 = -1
        var connections: Set<Int32> = []
    }

    public init(to target: UInt16) throws {
        self.target = target
        reserved = try ReservedPort()
        port = reserved.number
        try join()
    }

    deinit { cutOff() }

    /// Lets connections through.
    public func join() throws {
        let listener = Self.socket()
        var address = Self.address(port)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(listener, 64) == 0 else {
            close(listener)
            throw POSIXError(.EADDRINUSE)
        }
        state.withLock { $0.listener = listener }
        Thread.detachNewThread { [weak self, target] in
            // Closed by who accepts from it, so that nobody accepts from a number that names another file by now.
            defer { close(listener) }
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                guard let server = Self.connect(to: target) else {
                    close(client)
                    continue
                }
                self?.state.withLock { $0.connections.formUnion([client, server]) }
                Self.pump(from: client, to: server)
                Self.pump(from: server, to: client)
            }
        }
    }

    /// Ends all connections, and refuses others.
    public func cutOff() {
        state.withLock { state in
            if state.listener >= 0 {
                shutdown(state.listener, Int32(SHUT_RDWR))
                state.listener = -1
            }
            // Their threads close nothing: a number that is closed here names no other file yet.
            for connection in state.connections {
                shutdown(connection, Int32(SHUT_RDWR))
            }
            state.connections = []
        }
    }

    /// Until either end is over. Descriptors stay open until the program ends: it is a test's.
    private static func pump(from source: Int32, to destination: Int32) {
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(source, &buffer, buffer.count)
                guard count > 0 else { break }
                var sent = 0
                while sent < count {
                    let more = buffer[sent..<count].withUnsafeBytes {
                        send(destination, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard more > 0 else { break }
                    sent += more
                }
                guard sent == count else { break }
            }
            shutdown(destination, Int32(SHUT_RDWR))
        }
    }

    private static func connect(to port: UInt16) -> Int32? {
        let descriptor = socket()
        var address = address(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    private static func socket() -> Int32 {
        let descriptor = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var isOn: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
