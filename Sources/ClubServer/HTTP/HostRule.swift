/// The host names under which a server accepts requests.
///
/// A web page can make its own name resolve to this computer (DNS rebinding); its requests then arrive
/// with that name as host, and are rejected.
enum HostRule: Sendable {
    /// A Unix socket: no host name leads there.
    case any
    /// Names and addresses that always mean the local computer. With any port, since one may be
    /// forwarded to ours.
    case loopback

    func allows(_ head: RequestHead) -> Bool {
        switch self {
        case .any: true
        case .loopback:
            // RFC 9112 §3.2: only HTTP/1.0 may omit it, and no browser uses that.
            head.headers["host"].map(Self.isLoopback) ?? !head.isVersion11
        }
    }

    static func isLoopback(_ host: String) -> Bool {
        var name = host.lowercased()
        if let colon = name.lastIndex(of: ":"), !name.hasSuffix("]") {
            let port = name[name.index(after: colon)...]
            guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
            name = String(name[..<colon])
        }
        if name == "localhost" || name == "[::1]" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                part.utf8.count <= 3 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    && UInt8(part) != nil
            }
    }
}
