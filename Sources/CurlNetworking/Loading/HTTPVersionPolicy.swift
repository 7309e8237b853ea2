import FoundationEssentials

/// The versions of HTTP that are offered for one request.
enum HTTPVersionChoice: Hashable, Sendable {
    case http1_1
    /// HTTP/2 if the server chooses it in the TLS handshake, else HTTP/1.1.
    case http2OrOlder
    /// HTTP/2, whatever the server says about it.
    case http2Only
    /// HTTP/3 if the server responds to it, else HTTP/2 or HTTP/1.1.
    case http3OrOlder

    /// Whether its connection may turn out to carry many requests at a time.
    var mayMultiplex: Bool { self != .http1_1 }
}

/// What is known of a request when its version of HTTP is chosen.
struct HTTPVersionPolicy: Hashable, Sendable {
    var library: Library
    var preference = HTTPVersionPreference.automatic
    /// Whether the URL is an https one.
    var isSecure: Bool
    /// Whether a proxy stands between: for an https URL it makes a tunnel.
    var hasProxy = false
    /// What HTTP/2 of libcurl cannot do: a WebSocket.
    var isWebSocket = false
    /// Whether something has shown that this request needs HTTP/1.1.
    var isDowngraded = false
    /// Whether fields may follow the body, which libcurl sends over HTTP/1.1 only.
    var mayEndInTrailers = false
    /// Whether somebody may have to decide about the server's certificate.
    var mayBeAsked = false
    /// `URLRequest.assumesHTTP3Capable`.
    var assumesHTTP3 = false

    /// The libcurl that is loaded.
    struct Library: Hashable, Sendable {
        /// As `CURL_VERSION_BITS` has it.
        var version: UInt32
        var hasHTTP2: Bool
        var hasHTTP3: Bool
        /// As it calls itself.
        var name = "another"

        /// 7.88 stalls and spins when a stream is paused; uploads and pauses were fixed up to 8.14.
        var speaksHTTP2Reliably: Bool { hasHTTP2 && version >= 0x080E00 }
    }

    /// - Throws: `.unsupportedURL` when HTTP/2 is required and this libcurl cannot be relied on for it.
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
            // A handshake over QUIC cannot be held for a decision, and no proxy here passes UDP on.
            let wantsHTTP3 = preference == .http3 || assumesHTTP3
            // What does not respond over QUIC is offered HTTP/2.
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
