/// The versions of HTTP that the requests of a session may use.
///
/// Not part of Apple's API, which always chooses automatically.
public enum HTTPVersionPreference: String, Codable, CaseIterable, Sendable {
    /// HTTP/2 over TLS if the server offers it and the loaded libcurl supports it reliably (8.14 or newer,
    /// built with nghttp2); otherwise HTTP/1.1.
    case automatic
    /// HTTP/1.1 only.
    case http1_1
    /// HTTP/2 only: over TLS nothing else is offered, and plain `http` assumes that the server supports it
    /// (prior knowledge, RFC 9113 §3.3). Tasks fail with `.unsupportedURL` if libcurl does not support HTTP/2
    /// reliably. WebSockets, and plain `http` through a proxy, use HTTP/1.1.
    case http2
    /// HTTP/3 first, if libcurl supports it; if it does not, or the server does not respond over HTTP/3, like
    /// `automatic`.
    case http3
}
