internal import FoundationEssentials
internal import Glibc

/// Identifies the peer of a connection on 127.0.0.1, which every user of this computer can open.
enum LoopbackPeer {
    /// Whether a connection may be from this user's process. True if the system does not report it, and for
    /// the superuser, who forwards connections into virtual machines.
    static func mayBeOurs(_ descriptor: CInt) -> Bool {
        guard let user = user(of: descriptor) else { return true }
        return user == getuid() || user == 0
    }

    /// The user who opened an accepted connection; nil if the system does not report it.
    static func user(of descriptor: CInt) -> uid_t? {
        guard let peer = address(descriptor, getpeername),
            let own = address(descriptor, getsockname)
        else { return nil }
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let text = contents(of: table) else { continue }
            if let user = user(from: peer, to: own, in: text) { return user }
        }
        return nil
    }

    /// - Parameters:
    ///   - peer: In the table's format: `0100007F:9C40`. IPv6 addresses have a prefix.
    ///   - table: The kernel's table of connections (proc(5), `/proc/net/tcp`).
    static func user(from peer: String, to own: String, in table: String) -> uid_t? {
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ", maxSplits: 8)
            guard fields.count > 7, fields[1].hasSuffix(peer), fields[2].hasSuffix(own) else {
                continue
            }
            return uid_t(fields[7])
        }
        return nil
    }

    private typealias Asking = (
        CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>
    ) -> CInt

    private static func address(_ descriptor: CInt, _ ask: Asking) -> String? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                ask(descriptor, $0, &size) == 0
            }
        }
        guard isKnown, address.sin_family == sa_family_t(AF_INET) else { return nil }
        // The table has the address in memory order, the port as a number.
        return hex(address.sin_addr.s_addr, 8) + ":"
            + hex(UInt32(UInt16(bigEndian: address.sin_port)), 4)
    }

    private static func hex(_ number: UInt32, _ count: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Its size is not known before it is read.
    private static func contents(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < 16 << 20 {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
