/// Which versions of HTTP the requests of a session may use.
///
/// Not in Apple's suite, which always decides on its own.
public enum HTTPVersionPreference: String, Codable, CaseIterable, Sendable {
    /// HTTP/2 over TLS where the server offers it and the loaded libcurl speaks it reliably (8.14 or newer, built with
    /// nghttp2); HTTP/1.1 everywhere else.
    case automatic
    /// HTTP/1.1 only.
    case http1_1
    /// HTTP/2 only, without a fallback: over TLS nothing else is offered, and a server of plain `http` is taken to
    /// speak it (prior knowledge, RFC 9113 §3.3). With a libcurl that does not speak it reliably tasks fail with
    /// `.unsupportedURL`. WebSockets, and what goes in the clear through a proxy, stay with HTTP/1.1.
    case http2
    /// HTTP/3 first, where libcurl was built with it; otherwise, and where no server responds to it, as `automatic`.
    case http3
}
