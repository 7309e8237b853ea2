import FoundationEssentials

/// A proxy, and what opens it.
struct ProxyServer: Hashable, Sendable, Codable {
    enum Kind: String, Sendable, Codable {
        case http
        /// HTTP over TLS.
        case https
        case socks4
        /// SOCKS 5; the proxy looks names up.
        case socks5
    }

    var kind: Kind
    /// Without the brackets of an IPv6 address.
    var host: String
    var port: Int
    var user: String?
    var password: String?

    init(_ kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    /// Reads what an environment variable names: `host:port`, `http://name:password@host:port/`,
    /// `socks5://host`. As with curl, the port is 1080 unless it is said, and 443 for `https`.
    init?(_ text: String) {
        let text = text.trimmingSpaces
        guard !text.isEmpty, let url = URL(string: text.contains("://") ? text : "http://" + text),
            let host = url.host(percentEncoded: false), !host.isEmpty
        else { return nil }
        switch url.scheme?.lowercased() {
        case "http": kind = .http
        case "https": kind = .https
        case "socks4", "socks4a": kind = .socks4
        case "socks", "socks5", "socks5h": kind = .socks5
        default: return nil
        }
        self.host = host.withoutBrackets
        port = url.port ?? (kind == .https ? 443 : 1080)
        guard let user = url.user(percentEncoded: false), !user.isEmpty else { return }
        self.user = user
        password = url.password(percentEncoded: false) ?? ""
    }

    /// Whether it reads HTTP, so that it sees the whole request of a plain URL.
    var isHTTP: Bool { kind == .http || kind == .https }

    fileprivate static let troubleMark = "the proxy "

    /// What an error says of it.
    func trouble(_ words: String) -> String { "\(Self.troubleMark)\(host):\(port) \(words)" }

    /// For CURLOPT_PROXY.
    var curlText: String {
        let scheme =
            switch kind {
            case .http: "http"
            case .https: "https"
            case .socks4: "socks4a"
            case .socks5: "socks5h"
            }
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// As a challenge names it, for a request to a URL.
    func address(for url: URL) -> ProxyAddress {
        ProxyAddress(
            host: host, port: port,
            type: url.scheme?.lowercased() == "https"
                ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy,
            credential: user.map {
                URLCredential(user: $0, password: password ?? "", persistence: .forSession)
            })
    }
}

extension ProxyServer: CustomStringConvertible, CustomReflectable {
    var description: String { curlText }

    /// Not the password.
    var customMirror: Mirror { Mirror(self, children: ["address": curlText]) }
}

extension URLError {
    /// What is the matter with the proxy on the way, with its name; nil where it is not that.
    package var proxyTrouble: String? {
        underlyingText.flatMap { $0.hasPrefix(ProxyServer.troubleMark) ? $0 : nil }
    }
}
