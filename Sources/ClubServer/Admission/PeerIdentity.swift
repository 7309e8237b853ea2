import CByteClubLinux
import Glibc

/// The peer of a connection, as the kernel reports it before a byte is read.
enum PeerIdentity: Hashable, Sendable {
    /// The user at the other end of a Unix socket.
    case user(UInt32)
    /// An IPv4 address.
    case address(UInt32)
    case unknown

    init(of descriptor: Int32) {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length)
            }
        }
        guard result == 0 else {
            self = .unknown
            return
        }
        switch Int32(name.ss_family) {
        case AF_INET:
            let address = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    $0.pointee.sin_addr.s_addr
                }
            }
            self = .address(UInt32(bigEndian: address))
        case AF_UNIX:
            var user: UInt32 = 0
            self = byteclub_peer_user(descriptor, &user) == 0 ? .user(user) : .unknown
        default:
            self = .unknown
        }
    }
}
