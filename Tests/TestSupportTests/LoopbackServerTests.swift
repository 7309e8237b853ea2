import Glibc
import TestSupport
import Testing

@Suite struct LoopbackServerTests {
    @Test func noOtherServerListensWhereOneWasStoppedWhileItExists() throws {
        let server = try LoopbackServer { _ in [.answer()] }
        server.stop()
        #expect(call(connect, server.port) == ECONNREFUSED)
        #expect(call(bind, server.port) == EADDRINUSE)
        withExtendedLifetime(server) {}
    }

    @Test func nothingListensAtAReservedPortAndNoSocketGetsItByChance() throws {
        let port = try ReservedPort()
        #expect(call(connect, port.number) == ECONNREFUSED)
        #expect(call(bind, port.number) == EADDRINUSE)
        withExtendedLifetime(port) {}
    }

    private typealias Call = (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32

    /// The error number of a call with a new socket and an address of this machine; 0 when it succeeds.
    private func call(_ call: Call, _ port: UInt16) -> Int32 {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 ? 0 : errno
            }
        }
    }
}
