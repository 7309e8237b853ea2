import FoundationEssentials

/// The versions of HTTP that are offered for one request.
enum HTTPVersionChoice: Hashable, Sendable {
    case http1_1
    /// HTTP/2 if the server selects it in the TLS handshake, else HTTP/1.1.
    case http2OrOlder
    /// HTTP/2 without negotiation.
    case http2Only
    /// HTTP/3 if the server responds over it, else HTTP/2 or HTTP/1.1.
    case http3OrOlder

    /// Whether the connection may be multiplexed.
    var mayMultiplex: Bool { self != .http1_1 }
}

/// Chooses the versions of HTTP to offer, from what is known of the request.
struct HTTPVersionPolicy: Hashable, Sendable {
    var library: Library
    var preference = HTTPVersionPreference.automatic
    /// Whether it is an https URL.
    var isSecure: Bool
    /// Whether a proxy is used. For an https URL, it opens a tunnel.
    var hasProxy = false
    /// Whether it is a WebSocket, which libcurl does not support over HTTP/2.
    var isWebSocket = false
    /// Whether this request is known to need HTTP/1.1.
    var isDowngraded = false
    /// Whether the body may have trailers, which libcurl sends over HTTP/1.1 only.
    var mayEndInTrailers = false
    /// Whether the delegate may have to decide about the server's certificate.
    var mayBeAsked = false
    /// The value of `URLRequest.assumesHTTP3Capable`.
    var assumesHTTP3 = false

    /// The loaded libcurl.
    struct Library: Hashable, Sendable {
        /// The version as in `CURL_VERSION_BITS`.
        var version: UInt32
        var hasHTTP2: Bool
        var hasHTTP3: Bool
        /// The version as text.
        var name = "another"

        /// 7.88 stalls and busy-loops when a stream is paused; uploads and pauses were fixed up to 8.14.
        var speaksHTTP2Reliably: Bool { hasHTTP2 && version >= 0x080E00 }
    }

    /// Chooses the versions.
    ///
    /// - Throws: `.unsupportedURL` if HTTP/2 is required and this libcurl does not support it reliably.
    func choose() throws(URLError) -> HTTPVersionChoice {
        if isWebSocket || isDowngraded { return .http1_1 }
        switch preference {
        case .http1_1:
            return .http1_1
        case .http2:
            if hasProxy, !isSecure { return .http1_1 }
            guard library.speaksHTTP2Reliably else { throw unsupported }
            return .http2Only
        case .automatic, .http3:
            guard isSecure, !mayEndInTrailers else { return .http1_1 }
            // A QUIC handshake cannot be paused for a decision, and proxies do not forward UDP.
            let wantsHTTP3 = preference == .http3 || assumesHTTP3
            // Servers that do not respond over QUIC are offered HTTP/2.
            guard library.speaksHTTP2Reliably else { return .http1_1 }
            let hasHTTP3 = library.hasHTTP3 && !hasProxy && !mayBeAsked
            return wantsHTTP3 && hasHTTP3 ? .http3OrOlder : .http2OrOlder
        }
    }

    private var unsupported: URLError {
        URLError(
            .unsupportedURL,
            underlyingText:
                "HTTP/2 was asked for; it needs libcurl 8.14 or newer with nghttp2, and "
                + "this is \(library.name)")
    }
}
