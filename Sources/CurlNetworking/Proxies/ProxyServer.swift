import FoundationEssentials

/// A proxy and its credentials.
struct ProxyServer: Hashable, Sendable, Codable {
    enum Kind: String, Sendable, Codable {
        case http
        /// HTTP over TLS.
        case https
        case socks4
        /// SOCKS 5; the proxy resolves names.
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

    /// Parses the value of an environment variable: `host:port`, `http://name:password@host:port/`,
    /// `socks5://host`. As with curl, the default port is 1080, and 443 for `https`.
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

    /// Whether it is an HTTP proxy, which sees the whole request for an http URL.
    var isHTTP: Bool { kind == .http || kind == .https }

    fileprivate static let troubleMark = "the proxy "

    /// Returns the text of an error that the proxy has caused.
    func trouble(_ words: String) -> String { "\(Self.troubleMark)\(host):\(port) \(words)" }

    /// The value for CURLOPT_PROXY.
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

    /// Returns the proxy as challenges refer to it, for a request to a URL.
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

    /// Omits the password.
    var customMirror: Mirror { Mirror(self, children: ["address": curlText]) }
}

extension URLError {
    /// The text about the proxy that has caused the error; nil if none has.
    package var proxyTrouble: String? {
        underlyingText.flatMap { $0.hasPrefix(ProxyServer.troubleMark) ? $0 : nil }
    }
}
