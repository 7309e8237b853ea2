/// Under which names a server may be called.
///
/// A web page can let its own name lead to this computer once it is shown (DNS rebinding); its requests
/// then come here with that name, and are refused whatever else they know.
enum HostRule: Sendable {
    /// A unix socket: no name leads there.
    case any
    /// Names and addresses that lead to the same computer everywhere. Any port, since one may be
    /// forwarded to ours.
    case loopback

    func allows(_ head: RequestHead) -> Bool {
        switch self {
        case .any: true
        case .loopback:
            // RFC 9112 §3.2: only HTTP/1.0 may leave it out, and no browser speaks that.
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
