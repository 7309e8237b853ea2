import CByteClubCurl
import FoundationEssentials
import CurlNetworkingPlatform

/// Asks NetworkManager on the system bus whether the current network is metered.
///
/// One question on one connection, without a D-Bus library. Errors, and half a second without data, count as
/// no NetworkManager.
enum NetworkManagerBus {
    /// Asks NetworkManager.
    ///
    /// - Parameters:
    ///   - path: The bus's socket.
    ///   - timeout: The maximum time without data, in seconds.
    ///   - Returns: nil if it is unknown.
    static func isMetered(
        path: String = "/run/dbus/system_bus_socket", timeout: Double = 0.5
    ) -> Bool? {
        guard let descriptor = connect(to: path, timeout: timeout) else { return nil }
        defer { close(descriptor) }
        // D-Bus authentication: the user ID in decimal, each digit as its hexadecimal ASCII code.
        let user = String(geteuid()).utf8.map { "3" + String($0 - 0x30) }.joined()
        guard write(Array("\0AUTH EXTERNAL \(user)\r\n".utf8), to: descriptor) == .whole,
            readLine(from: descriptor)?.hasPrefix("OK ") == true,
            write(Array("BEGIN\r\n".utf8) + hello + question, to: descriptor) == .whole
        else { return nil }
        for _ in 0..<8 {  // skips signals in between
            guard let reply = readMessage(from: descriptor) else { return nil }
            guard reply.replySerial == 2 else { continue }
            guard reply.isReturn, let number = reply.number else { return nil }
            // NMMetered: 1 yes, 2 no, 3 guessed yes, 4 guessed no.
            return number == 1 || number == 3 ? true : number == 0 ? nil : false
        }
        return nil
    }

    private static let hello = DBusMessage.call(
        "Hello", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
        on: "org.freedesktop.DBus", serial: 1)
    private static let question = DBusMessage.call(
        "Get", of: "org.freedesktop.DBus.Properties", at: "/org/freedesktop/NetworkManager",
        on: "org.freedesktop.NetworkManager", serial: 2,
        arguments: ["org.freedesktop.NetworkManager", "Metered"])

    // MARK: - The socket

    private static func connect(to path: String, timeout: Double) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard path.utf8.count <= room else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        var limit = timeval(
            tv_sec: Int(timeout), tv_usec: Int(timeout.truncatingRemainder(dividingBy: 1) * 1e6))
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    private enum Writing {
        case whole
        case failed
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Writing {
        bytes.withUnsafeBytes { bytes in
            let count = send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            return count == bytes.count ? .whole : .failed
        }
    }

    private static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = AtomicFile.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
        }
        return bytes.count == count ? bytes : nil
    }

    private static func readLine(from descriptor: Int32) -> String? {
        var line: [UInt8] = []
        while line.count < 512 {
            guard let byte = read(1, from: descriptor) else { return nil }
            line += byte
            if line.suffix(2) == [0x0D, 0x0A] { return String(decoding: line, as: UTF8.self) }
        }
        return nil
    }

    private static func readMessage(from descriptor: Int32) -> DBusMessage.Reply? {
        guard let head = read(DBusMessage.headByteCount, from: descriptor),
            let count = DBusMessage.byteCount(of: head),
            let rest = read(count - head.count, from: descriptor)
        else { return nil }
        return DBusMessage.reply(head + rest)
    }
}
