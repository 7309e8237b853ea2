import CByteClubCurl
import FoundationEssentials
import CurlNetworkingPlatform

/// The kernel's networks, with their cost from NetworkManager.
///
/// Routes are looked up by connecting a datagram socket, which sends nothing.
final class SystemNetwork: NetworkStatus {
    static let shared = SystemNetwork()

    private let changes = NetworkChanges()

    // MARK: - Routes

    func path(to host: String, knowsCost: Bool) -> NetworkPath {
        path(to: host, knowsCost: knowsCost, anywhere: Self.anywhere)
    }

    /// Returns the route to a host.
    ///
    /// - Parameter anywhere: Addresses that stand for the name servers.
    func path(to host: String, knowsCost: Bool, anywhere: [String]) -> NetworkPath {
        if host.lowercased().withoutBrackets.isLoopbackHost { return NetworkPath() }
        let isAddress = Self.isAddress(host)
        let usual = isAddress ? [host] : anywhere
        var local = usual.lazy.compactMap(Self.localAddress).first
        if local == nil, !isAddress {
            // Without a default route, a name of the local network or the hosts file may still be reachable.
            local = Self.addresses(of: host).lazy.compactMap(Self.localAddress).first
        }
        guard let local else { return NetworkPath(isThere: false) }
        guard knowsCost, let device = Self.device(with: local), device != "lo" else {
            return NetworkPath()
        }
        return NetworkPath(
            isMobile: Self.isModem(device), isMetered: NetworkManagerBus.isMetered() ?? false)
    }

    /// Documentation addresses (RFC 5737, RFC 3849), which have no routes of their own: their route is the
    /// default route.
    private static let anywhere = ["203.0.113.1", "2001:db8::1"]

    private static func isAddress(_ host: String) -> Bool {
        withAddress(of: host) { _, _ in true } ?? false
    }

    /// Returns the addresses of a name; empty if it cannot be resolved. May block as long as the resolver.
    static func addresses(of name: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &found) == 0, let found else { return [] }
        defer { freeaddrinfo(found) }
        return sequence(first: found) { $0.pointee.ai_next }.compactMap { entry in
            entry.pointee.ai_addr.flatMap { text(of: $0, entry.pointee.ai_addrlen) }
        }
    }

    /// Returns the local address on the route to a host, in numeric form; nil if there is no route.
    private static func localAddress(towards host: String) -> String? {
        withAddress(of: host) { address, length -> String? in
            let descriptor = socket(
                Int32(address.pointee.sa_family), Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            guard Glibc.connect(descriptor, address, length) == 0 else { return nil }
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutablePointer(to: &storage) { storage in
                storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { own in
                    getsockname(descriptor, own, &size) == 0 ? text(of: own, size) : nil
                }
            }
        } ?? nil
    }

    /// Calls a closure with the socket address of a numeric IP address.
    private static func withAddress<Result>(
        of host: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard getaddrinfo(bare, "9", &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        return found.pointee.ai_addr.map { body($0, found.pointee.ai_addrlen) }
    }

    private static func text(of address: UnsafePointer<sockaddr>, _ size: socklen_t) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
            guard let start = buffer.baseAddress,
                getnameinfo(
                    address, size, start, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
            else { return nil }
            return String(cString: start)
        }
    }

    // MARK: - Devices

    /// Returns the name of the network device with an address.
    private static func device(with address: String) -> String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let device = next?.pointee {
            next = device.ifa_next
            guard let own = device.ifa_addr else { continue }
            let size: Int
            switch Int32(own.pointee.sa_family) {
            case AF_INET: size = MemoryLayout<sockaddr_in>.size
            case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
            default: continue
            }
            if text(of: own, socklen_t(size)) == address { return String(cString: device.ifa_name) }
        }
        return nil
    }

    /// Whether a device is a modem, by the kernel's type or its name.
    static func isModem(_ device: String, folder: String = "/sys/class/net") -> Bool {
        let names = ["wwan", "wwp", "wws", "rmnet", "ppp", "ccmni"]
        if names.contains(where: device.hasPrefix) { return true }
        guard !device.contains("/"),
            let event = FileManager.default.contents(atPath: "\(folder)/\(device)/uevent")
        else { return false }
        return String(decoding: event, as: UTF8.self).split(separator: "\n")
            .contains("DEVTYPE=wwan")
    }

    // MARK: - Changes

    func watch(for watcher: ObjectIdentifier, _ changed: @escaping @Sendable () -> Void) {
        changes.watch(for: watcher, changed)
    }

    func unwatch(_ watcher: ObjectIdentifier) {
        changes.unwatch(watcher)
    }
}
