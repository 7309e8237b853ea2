import FoundationEssentials

/// A club's location on a WebDAV server: converts paths to URLs, and hrefs to names.
///
/// URLs are always built from names, never copied from an href: servers run behind proxies,
/// under prefixes they do not know, and escape differently.
struct WebDAVAddress: Hashable, Sendable {
    /// `https://cloud.example:8443`, without a trailing slash.
    let origin: String

    /// Without the port and, for IPv6, without the brackets.
    let host: String
    let port: Int
    let isSecure: Bool

    /// The names of the club's own folder, decoded, from the server's root down.
    let baseComponents: [String]

    /// Nil for anything but http and https, without a host, or with a name that no path may have.
    /// User, password, query and fragment are dropped.
    init?(_ url: URL, folder: RemotePath = .root) {
        let text = url.absoluteString
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = text[mark.upperBound...].prefix { $0 != "?" && $0 != "#" }
        let authority = rest.prefix { $0 != "/" }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
        let names = rest.dropFirst(authority.count).split(separator: "/")
        guard let host = Self.host(in: place ?? authority), !host.isEmpty else { return nil }
        let components = names.compactMap { PercentCoding.decode($0) }
        guard components.count == names.count, !components.contains("."),
            !components.contains("..")
        else { return nil }
        origin = scheme + "://" + (place ?? authority)
        self.host = host
        isSecure = scheme == "https"
        port = url.port ?? (isSecure ? 443 : 80)
        baseComponents = components + folder.components
    }

    /// Whether this is the local machine, where a password may be sent without TLS.
    var isLoopback: Bool { LoopbackHost.contains(host) }

    func url(of path: RemotePath, isFolder: Bool = false) -> String {
        url(baseComponents + path.components, isFolder: isFolder || path.isRoot)
    }

    /// The URL of another resource on the same server.
    func url(_ components: [String], isFolder: Bool = false) -> String {
        let names = components.map { "/" + PercentCoding.encode($0) }.joined()
        return origin + names + (isFolder || components.isEmpty ? "/" : "")
    }

    /// The names of an href in any form, decoded once; nil for invalid UTF-8 and for `..`.
    ///
    /// - Parameter folder: The base of a relative href.
    func components(ofHref href: String, in folder: RemotePath) -> [String]? {
        var rest = href[...]
        var base: [String] = []
        if let mark = rest.firstRange(of: "://"), !rest[..<mark.lowerBound].contains("/") {
            rest = rest[mark.upperBound...].drop { $0 != "/" }
        } else if rest.hasPrefix("//") {
            rest = rest.dropFirst(2).drop { $0 != "/" }
        } else if !rest.hasPrefix("/") {
            base = baseComponents + folder.components
            if rest.hasPrefix("./") { rest = rest.dropFirst(2) }
        }
        for name in rest.split(separator: "/") {
            guard let name = PercentCoding.decode(name), name != ".", name != ".." else {
                return nil
            }
            base.append(name)
        }
        return base
    }

    private static func host(in authority: Substring) -> String? {
        if authority.hasPrefix("[") {
            return authority.firstIndex(of: "]").map {
                authority[authority.index(after: authority.startIndex)..<$0].lowercased()
            }
        }
        return authority.prefix { $0 != ":" }.lowercased()
    }
}

/// Percent-encoding (RFC 3986 §2.1) of single names.
enum PercentCoding {
    /// Escapes everything but unreserved characters, in uppercase.
    static func encode(_ name: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes once. A plus is a plus; a percent sign without two digits stands for itself, as
    /// servers that escape nothing write it.
    ///
    /// - Returns: Nil for invalid UTF-8, and for names with a slash or NUL.
    static func decode(_ name: Substring) -> String? {
        let source = Array(name.utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let high = digit(source[index + 1]), let low = digit(source[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        guard !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
